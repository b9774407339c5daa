/**
 * The values of templates, with Python's meaning: an integer is a `bigint` and a float a `number`, mappings are `Map`s,
 * and no template reaches a prototype, because its names are never used to look up properties of JavaScript objects.
 */
import { isJsonObject, isRawNumber, keysInOrder } from '../values/json.ts';
import { floatRepr, pythonRepr } from '../values/python-text.ts';
import { spend, spendOnText } from './budget.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';

export type Value =
  | string
  | bigint
  | number
  | boolean
  | null
  | readonly Value[]
  | ReadonlyMap<Value, Value>
  | Undefined
  | TemplateFunction
  | TemplateObject;

/** The value of an undefined name. It prints as nothing; so do its attributes and items. */
export class Undefined {
  /** `'x' is undefined`, for the error when a value is needed. */
  readonly reason: string;
  readonly kind: string;

  constructor(reason: string, kind = 'UndefinedError') {
    this.reason = reason;
    this.kind = kind;
  }

  fault(): TemplateRuntimeError {
    return new TemplateRuntimeError(this.kind, this.reason);
  }
}

/** A sequence that prints in parentheses. */
export class Tuple extends Array<Value> {}

export function tuple(...items: readonly Value[]): Tuple {
  return Tuple.from(items) as Tuple;
}

export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class TemplateFunction {
  readonly name: string;
  readonly call: (given: Arguments) => Value;

  constructor(name: string, call: (given: Arguments) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** An object of the host, of which templates see only these methods: a loop, a namespace, an event, a time. */
export abstract class TemplateObject {
  /** Undefined when it has no such attribute or item. */
  abstract attribute(name: string): Value | undefined;
  abstract print(): string;

  /** Its value in JSON. */
  json(): Value {
    return this.print();
  }
}

/** The argument at `index`, or named `name`; undefined when it is not given. */
export function argument(given: Arguments, index: number, name: string): Value | undefined {
  return given.positional[index] ?? given.named.get(name) ?? (given.positional[index] === null ? null : undefined);
}

/** JSON data, which may contain raw numbers, as template values. */
export function valueOfJson(data: unknown): Value {
  if (data === undefined) return null;
  if (data instanceof TemplateObject || data instanceof TemplateFunction) return data;
  if (typeof data === 'number') return Number.isInteger(data) ? BigInt(data) : data;
  if (isRawNumber(data)) return /[.e]/i.test(data.rawJSON) ? Number(data.rawJSON) : BigInt(data.rawJSON);
  if (Array.isArray(data)) return data.map(valueOfJson);
  if (isJsonObject(data)) return new Map(keysInOrder(data).map((key) => [key, valueOfJson(data[key])]));
  return data as string | boolean | null;
}

export function isTrue(value: Value): boolean {
  if (value instanceof Undefined || value === null) return false;
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object') return true;
  return Boolean(value);
}

/** The text that Python's `str` gives. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  return reprOf(value);
}

/** The text that Python's `repr` gives. */
export function reprOf(value: Value): string {
  spend(1);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return floatRepr(value);
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof TemplateObject) return value.print();
  if (value instanceof TemplateFunction) return `<function ${value.name}>`;
  if (Array.isArray(value)) {
    const items = value.map(reprOf);
    if (!(value instanceof Tuple)) return `[${items.join(', ')}]`;
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
  }
  if (value instanceof Map) {
    return `{${Array.from(value, ([key, item]) => `${reprOf(key)}: ${reprOf(item)}`).join(', ')}}`;
  }
  if (typeof value === 'string') spendOnText(value.length);
  return pythonRepr(value);
}

/** The name of the value's type in Python's messages. */
export function typeName(value: Value): string {
  if (typeof value === 'string') return 'str';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'boolean') return 'bool';
  if (value === null) return 'NoneType';
  if (value instanceof Tuple) return 'tuple';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (value instanceof Undefined) return 'Undefined';
  return value instanceof TemplateFunction ? 'function' : 'object';
}

/** The items of a loop over the value. Throws Python's error for a value without items. */
export function iterate(value: Value): readonly Value[] {
  if (typeof value === 'string' || Array.isArray(value)) spend(value.length);
  if (typeof value === 'string') return [...value];
  if (Array.isArray(value)) return value;
  if (value instanceof Map) {
    spend(value.size);
    return [...value.keys()];
  }
  if (value instanceof Undefined) {
    if (value.kind !== 'UndefinedError') throw value.fault();
    return [];
  }
  throw typeError(`'${typeName(value)}' object is not iterable`);
}

export function lengthOf(value: Value): number {
  if (value instanceof Map) return value.size;
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Undefined) return iterate(value).length;
  throw typeError(`object of type '${typeName(value)}' has no len()`);
}

/** The number that a number, true or false stands for; undefined for all other values. */
export function numeric(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? BigInt(value) : undefined;
}

export function isEqual(one: Value, other: Value): boolean {
  spend(1);
  const [left, right] = [numeric(one), numeric(other)];
  // biome-ignore lint/suspicious/noDoubleEquals: an integer and a float of the same value are equal
  if (left !== undefined && right !== undefined) return left == right;
  if (Array.isArray(one) && Array.isArray(other)) {
    const sameKind = one instanceof Tuple === other instanceof Tuple;
    return sameKind && one.length === other.length && one.every((item, index) => isEqual(item, other[index]!));
  }
  if (one instanceof Map && other instanceof Map) {
    if (one.size !== other.size) return false;
    for (const [key, item] of one) {
      const counterpart = other.get(key);
      if (counterpart === undefined || !isEqual(item, counterpart)) return false;
    }
    return true;
  }
  if (one instanceof Undefined) return other instanceof Undefined;
  return one === other;
}

/** An index or a count. Throws for a value that is neither, and for a number that no list can have. */
export function wholeNumber(value: Value, what: string): number {
  const number = numeric(value);
  if (typeof number !== 'bigint') throw typeError(`${what} must be an integer, not ${typeName(value)}`);
  return Number(number);
}
