/** What kinds of values there are, and when two are the same. */
import { isFloat, isJsonObject, isRawNumber, jsonTextOf, numberOf } from '../json.ts';

/**
 * A place of a value whose content is not known: nothing that a schema asks of it is checked, and `fault`, when there is
 * one, is its only error.
 */
export class UnknownContent {
  readonly #fault: string | undefined;

  constructor(fault?: string) {
    this.#fault = fault;
  }

  get fault(): string | undefined {
    return this.#fault;
  }
}

/** `type` as a list of names. */
export function typesOf(type: unknown): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : [];
}

/** A whole number is an integer however it is written; true and false are no numbers. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'number':
      return typeof value === 'number' || isRawNumber(value);
    case 'integer':
      return isRawNumber(value) && !isFloat(value) ? true : Number.isInteger(numberOf(value));
    default:
      return false;
  }
}

/** Equal as JSON: 1 and 1.0 are, 1 and true are not. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** The same text for values that are the same. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${members.join()}}`;
  }
  if (isRawNumber(value) && isFloat(value)) return String(Number(value.rawJSON));
  return jsonTextOf(value);
}
