/** The types of values, and the equality of two values. */
import { isFloat, isJsonObject, isRawNumber, jsonTextOf, numberOf } from '../values/json.ts';

/**
 * A part of a value whose content is unknown: no keyword is checked on it, and `fault`, if given, is its only error.
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

/** A whole number is an integer in any notation; true and false are not numbers. */
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

/** Returns equal texts for equal values: 1 equals 1.0, but not true. `spend` is called with the cost. */
export function canonical(value: unknown, spend: (units: number) => void): string {
  if (Array.isArray(value)) {
    spend(1 + 2 * value.length);
    return `[${value.map((item) => canonical(item, spend)).join()}]`;
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort();
    spend(1 + keys.length * 4);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key], spend)}`).join()}}`;
  }
  if (typeof value === 'string') {
    spend(1 + (value.length >> 4));
    return JSON.stringify(value);
  }
  if (isRawNumber(value)) {
    spend(1 + (value.rawJSON.length >> 2));
    return isFloat(value) ? String(Number(value.rawJSON)) : value.rawJSON;
  }
  spend(1);
  return jsonTextOf(value);
}
