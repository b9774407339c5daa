/** Python's arithmetic and comparison, with bounds on the size of results. */
import { spend, spendOnSearch, spendOnText } from './budget.ts';
import { formatWithPercent } from './format-text.ts';
import type { BinaryOperator, ComparisonOperator } from './syntax/syntax-tree.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import { isEqual, numeric, reprOf, Tuple, tuple, typeName, Undefined, type Value } from './values.ts';

/** Characters of a text. */
export const MAX_SIZE = 1_000_000;
/** Bits of an integer: 2 ** 4096 is still printed. */
const MAX_INTEGER_BITS = 4096n;

export function tooLarge(): TemplateRuntimeError {
  return new TemplateRuntimeError('OverflowError', 'the value is too large for a template');
}

type Arithmetic = Exclude<BinaryOperator, 'and' | 'or'>;

export function calculate(operator: Arithmetic, left: Value, right: Value): Value {
  for (const operand of [left, right]) if (operand instanceof Undefined) throw operand.fault();
  if (operator === '+' && (typeof left === 'string' || Array.isArray(left))) return joined(left, right);
  if (operator === '*') {
    const repeated = repeat(left, right) ?? repeat(right, left);
    if (repeated !== undefined) return repeated;
  }
  if (operator === '%' && typeof left === 'string') return formatWithPercent(left, right);
  const [one, other] = [numeric(left), numeric(right)];
  if (one === undefined || other === undefined) {
    const name = operator === '**' ? '** or pow()' : operator;
    throw typeError(`unsupported operand type(s) for ${name}: '${typeName(left)}' and '${typeName(right)}'`);
  }
  if (typeof one === 'bigint' && typeof other === 'bigint') return bounded(calculateIntegers(operator, one, other));
  return calculateFloats(operator, Number(one), Number(other));
}

function joined(left: Value, right: Value): Value {
  if (typeof left === 'string') {
    if (typeof right !== 'string') throw typeError(`can only concatenate str (not "${typeName(right)}") to str`);
    if (left.length + right.length > MAX_SIZE) throw tooLarge();
    spendOnText(left.length + right.length);
    return left + right;
  }
  const isTuple = left instanceof Tuple;
  if (!Array.isArray(left) || !Array.isArray(right) || isTuple !== right instanceof Tuple) {
    const kind = isTuple ? 'tuple' : 'list';
    throw typeError(`can only concatenate ${kind} (not "${typeName(right)}") to ${kind}`);
  }
  spend(left.length + right.length);
  return left.concat(right);
}

function repeat(value: Value, count: Value): Value | undefined {
  const times = numeric(count);
  if (typeof times !== 'bigint' || !(typeof value === 'string' || Array.isArray(value))) return undefined;
  const copies = Number(times > 0n ? times : 0n);
  if (copies * value.length > MAX_SIZE) throw tooLarge();
  if (typeof value === 'string') {
    spendOnText(copies * value.length);
    return value.repeat(copies);
  }
  spend(copies * value.length);
  const items = Array.from({ length: copies }, () => value).flat();
  return value instanceof Tuple ? tuple(...items) : items;
}

function bounded(value: bigint | number): bigint | number {
  if (typeof value === 'bigint' && (value > 1n << MAX_INTEGER_BITS || value < -(1n << MAX_INTEGER_BITS)))
    throw tooLarge();
  return value;
}

function divisionByZero(message: string): TemplateRuntimeError {
  return new TemplateRuntimeError('ZeroDivisionError', message);
}

function calculateIntegers(operator: Arithmetic, one: bigint, other: bigint): bigint | number {
  switch (operator) {
    case '+':
      return one + other;
    case '-':
      return one - other;
    case '*':
      return one * other;
    case '/':
      if (other === 0n) throw divisionByZero('division by zero');
      return Number(one) / Number(other);
    case '//':
      if (other === 0n) throw divisionByZero('integer division or modulo by zero');
      return one / other - (hasRestAcrossZero(one, other) ? 1n : 0n);
    case '%':
      if (other === 0n) throw divisionByZero('integer modulo by zero');
      return (one % other) + (hasRestAcrossZero(one, other) ? other : 0n);
    case '**':
      return integerPower(one, other);
  }
}

/** Python rounds towards minus infinity where JavaScript rounds towards zero. */
function hasRestAcrossZero(one: bigint, other: bigint): boolean {
  return one % other !== 0n && one < 0n !== other < 0n;
}

function integerPower(base: bigint, exponent: bigint): bigint | number {
  if (exponent < 0n) return calculateFloats('**', Number(base), Number(exponent));
  const bits = BigInt(base.toString(2).replace('-', '').length);
  if (base * base > 1n && bits * exponent > MAX_INTEGER_BITS * 2n) throw tooLarge();
  return base ** exponent;
}

function calculateFloats(operator: Arithmetic, one: number, other: number): number {
  switch (operator) {
    case '+':
      return one + other;
    case '-':
      return one - other;
    case '*':
      return one * other;
    case '/':
      if (other === 0) throw divisionByZero('float division by zero');
      return one / other;
    case '//':
      if (other === 0) throw divisionByZero('float floor division by zero');
      return Math.floor(one / other);
    case '%':
      if (other === 0) throw divisionByZero('float modulo');
      return one - Math.floor(one / other) * other;
    case '**':
      if (one === 0 && other < 0) throw divisionByZero('0.0 cannot be raised to a negative power');
      return one ** other;
  }
}

export function negate(operator: '-' | '+', value: Value): Value {
  if (value instanceof Undefined) throw value.fault();
  const number = numeric(value);
  if (number === undefined) throw typeError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  return operator === '-' ? -number : number;
}

export function compare(operator: ComparisonOperator, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    default: {
      const order = compareOrder(left, right, operator);
      if (operator === '<') return order < 0;
      if (operator === '<=') return order <= 0;
      return operator === '>' ? order > 0 : order >= 0;
    }
  }
}

export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item === 'string') {
      spendOnSearch(container, item);
      return container.includes(item);
    }
    throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Map) return container.has(item);
  if (Array.isArray(container)) return container.some((each) => isEqual(each, item));
  if (container instanceof Undefined) return false;
  throw typeError(`argument of type '${typeName(container)}' is not iterable`);
}

/** Negative when `left` comes first. Throws for values that have no common order. */
export function compareOrder(left: Value, right: Value, operator = '<'): number {
  spend(1);
  for (const operand of [left, right]) if (operand instanceof Undefined) throw operand.fault();
  const [one, other] = [numeric(left), numeric(right)];
  if (one !== undefined && other !== undefined)
    return one < other ? -1 : one > other ? 1 : one >= other ? 0 : Number.NaN;
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (Array.isArray(left) && Array.isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    for (const [index, item] of left.entries()) {
      const counterpart = right[index];
      if (counterpart === undefined) return 1;
      if (!isEqual(item, counterpart)) return compareOrder(item, counterpart, operator);
    }
    return left.length - right.length;
  }
  throw typeError(`'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`);
}

/** Compares by code points. */
function compareTexts(left: string, right: string): number {
  const [one, other] = [left.isWellFormed(), right.isWellFormed()];
  if (one && other && !/[\ud800-\udbff]/.test(left + right)) return left < right ? -1 : left > right ? 1 : 0;
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Keys of mappings are compared by value, so lists cannot be keys. */
export function asKey(value: Value): Value {
  if (Array.isArray(value) || value instanceof Map) {
    if (!(value instanceof Tuple)) throw typeError(`unhashable type: '${typeName(value)}'`);
    return reprOf(value);
  }
  return value;
}
