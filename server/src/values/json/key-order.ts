/** Keeps the order of keys in objects whose keys JavaScript would reorder. */
import { isRawNumber } from './numbers.ts';

const orderOf = new WeakMap<object, readonly string[]>();
let orderedObjectsExist = false;

/** `keys` are the keys of the object in the order of the text; a repeated key counts where it came first. */
export function rememberOrder(object: Record<string, unknown>, keys: readonly string[]): void {
  const unique = [...new Set(keys)];
  const actual = Object.keys(object);
  if (unique.every((key, index) => key === actual[index])) return;
  orderOf.set(object, unique);
  orderedObjectsExist = true;
}

/** The keys of an object that `parseJson` returned, in the order of the text. */
export function keysInOrder(object: object): readonly string[] {
  return orderOf.get(object) ?? Object.keys(object);
}

/** Makes `copy`, an object with the keys of `original`, print in the order of `original`. */
export function keepOrder(original: object, copy: object): void {
  const keys = orderOf.get(original);
  if (keys) orderOf.set(copy, keys);
}

/** True when `printOrdered` and `JSON.stringify` print it differently. */
export function holdsOrdered(value: unknown): boolean {
  return orderedObjectsExist && holdsOne(value);
}

function holdsOne(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsOne);
  return orderOf.has(value) || Object.values(value).some(holdsOne);
}

export function printOrdered(value: unknown): string {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(printOrdered).join()}]`;
  const members = keysInOrder(value)
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${printOrdered((value as Record<string, unknown>)[key])}`);
  return `{${members.join()}}`;
}
