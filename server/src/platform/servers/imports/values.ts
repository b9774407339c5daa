/** Computes the values of a registry file. A file that cannot be imported is refused with the reason. */
import type { ImportCode } from '../../../error-codes.ts';
import { NamedRefusal } from '../../../errors.ts';
import type { Input, ValuedInput } from './registry-file.ts';
import type { ImportValues } from './schema.ts';

/** Characters of a value after its variables are filled in. The value may contain a variable thousands of times. */
const MAX_FILLED_IN = 10_000;
/** Characters of the choices that a refusal lists. */
const MAX_LISTED = 500;

/** The position of a value in the request. */
export type Place = readonly (string | number)[];

/** A kind of values that a person enters by name. */
export interface Entered {
  /** The field of the request. */
  readonly field: 'headers' | 'environment' | 'arguments';
  /** The subject in sentences: `A header`. */
  readonly what: string;
  readonly missing: ImportCode;
  readonly unknown: ImportCode;
}

type NamedInput = ValuedInput & { readonly name: string; readonly isRepeated?: boolean | null };

/**
 * The inputs that have a value; a repeatable input is listed once for each of its values. Throws NamedRefusal if a
 * value is missing or not allowed, or if it was entered under a name that no input has.
 */
export function inputsWithValues<Named extends NamedInput>(
  inputs: readonly Named[],
  given: ImportValues,
  kind: Entered,
  place: Place,
): readonly { readonly input: Named; readonly value: string }[] {
  const { field, unknown } = kind;
  const odd = Object.keys(given[field] ?? {}).find((key) => !inputs.some(({ name }) => isSame(field, key, name)));
  if (odd !== undefined) refuse(unknown, [field, odd], 'The file has no such name.');
  return inputs.flatMap((input, index) =>
    valuesOfInput(input, given, kind, [...place, index]).map((value) => ({ input, value })),
  );
}

/** Empty if it is omitted. */
function valuesOfInput(
  input: NamedInput,
  given: ImportValues,
  { field, what, missing }: Entered,
  place: Place,
): readonly string[] {
  const { name } = input;
  const { variables } = given;
  if (typeof input.value === 'string') {
    // An optional value is omitted until all its parts are given.
    const isOpen = namesIn(input.value).some((variable) =>
      isUnset(own(input.variables, variable), own(variables, variable)),
    );
    if (isOpen && input.isRequired !== true) return [];
    return [filledIn(input.value, input.variables ?? {}, variables ?? {}, { what, place })];
  }
  const entered = Object.entries(given[field] ?? {}).find(([key]) => isSame(field, key, name))?.[1];
  const listed = [entered ?? []].flat().filter((value) => value !== '');
  if (listed.length > 1 && !input.isRepeated) refuse('value_not_allowed', [field, name], `${what} accepts one value.`);
  const usual = typeof input.default === 'string' ? [input.default] : [];
  const found = listed.length > 0 ? listed : usual;
  if (found.length === 0 && input.isRequired === true) {
    refuse(missing, [field, name], `${what} is needed: ${name}. ${input.description ?? ''}`.trim());
  }
  for (const value of found) checkChoice(input, value, [field, name]);
  return found;
}

/** Names of headers are case-insensitive. */
function isSame(field: Entered['field'], key: string, name: string): boolean {
  return field === 'headers' ? key.toLowerCase() === name.toLowerCase() : key === name;
}

const VARIABLE = /\{([a-zA-Z_][a-zA-Z0-9_-]*)\}/g;

export function namesIn(template: string): string[] {
  return [...template.matchAll(VARIABLE)].map(([, name]) => name ?? '');
}

function isUnset(input: Input | undefined, entered: string | undefined): boolean {
  return input !== undefined && !entered && typeof input.value !== 'string' && typeof input.default !== 'string';
}

/** A name that the file does not describe stays unchanged, as the schema requires. Throws NamedRefusal. */
export function filledIn(
  template: string,
  inputs: Readonly<Record<string, Input>>,
  entered: Readonly<Record<string, string>>,
  { what, place }: { readonly what: string; readonly place: Place },
): string {
  let length = template.length;
  return template.replace(VARIABLE, (whole, name: string) => {
    const input = own(inputs, name);
    if (!input) return whole;
    const value = input.value ?? (own(entered, name) || input.default);
    if (typeof value !== 'string') {
      const text = input.description ? ` ${input.description}` : '';
      return refuse('variable_missing', ['variables', name], `${what} needs the value of ${name}.${text}`);
    }
    checkChoice(input, value, ['variables', name]);
    length += value.length - whole.length;
    if (length > MAX_FILLED_IN) {
      refuse('value_not_allowed', place, `Must have at most ${MAX_FILLED_IN} characters with its variables filled in.`);
    }
    return value;
  });
}

/** The field of this name. A file may use a name such as `constructor`, which every object inherits. */
export function own<T>(record: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

function checkChoice({ choices }: Input, value: string, place: Place): void {
  if (!choices?.length || choices.includes(value)) return;
  const listed = choices.join(', ');
  const shown = listed.length <= MAX_LISTED ? `${listed}.` : `${listed.slice(0, MAX_LISTED)}…`;
  refuse('value_not_allowed', place, `Must be one of: ${shown}`);
}

export function refuse(code: ImportCode, place: Place, message: string): never {
  throw new NamedRefusal(code, place.join('.'), message);
}
