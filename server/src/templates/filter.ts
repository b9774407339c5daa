import { typeError } from './syntax/template-error.ts';
import { type Arguments, argument, typeName, type Value } from './values.ts';

/** The filters and tests of the evaluator, by name, for filters that call others. */
export interface FilterTools {
  filter(name: string, value: Value, given: Arguments): Value;
  test(name: string, value: Value, given: Arguments): boolean;
}

export type Filter = (value: Value, given: Arguments, tools: FilterTools) => Value;
export type Filters = ReadonlyMap<string, Filter>;

/** A text argument. Throws for another type. */
export function textArgument(given: Arguments, index: number, name: string, fallback: string): string {
  const value = argument(given, index, name) ?? fallback;
  if (typeof value !== 'string') throw typeError(`'${name}' must be a string, not ${typeName(value)}`);
  return value;
}

/** A count. Throws for another type. */
export function countArgument(given: Arguments, index: number, name: string, fallback: number): number {
  const value = argument(given, index, name) ?? BigInt(fallback);
  if (typeof value !== 'bigint') throw typeError(`'${name}' must be an integer, not ${typeName(value)}`);
  return Number(value);
}
