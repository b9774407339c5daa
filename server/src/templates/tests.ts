/** The tests after `is`. Source: Jinja's documentation, "List of builtin tests". */
import { compare, contains } from './operators.ts';
import type { ComparisonOperator } from './syntax/syntax-tree.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import { type Arguments, isEqual, numeric, TemplateFunction, typeName, Undefined, type Value } from './values.ts';

type Test = (value: Value, given: Arguments) => boolean;

function first({ positional }: Arguments): Value {
  const [value] = positional;
  if (value === undefined) throw typeError('the test needs an argument');
  return value;
}

function comparison(operator: ComparisonOperator): Test {
  return (value, given) => compare(operator, value, first(given));
}

function rest(value: Value, divisor: bigint): bigint {
  const number = numeric(value);
  if (typeof number !== 'bigint') throw typeError(`an integer is needed, not ${typeName(value)}`);
  if (divisor === 0n) throw new TemplateRuntimeError('ZeroDivisionError', 'integer modulo by zero');
  return number % divisor;
}

const isSequence: Test = (value) =>
  typeof value === 'string' || Array.isArray(value) || value instanceof Map || value instanceof Undefined;
const isTextual = (value: Value, change: (text: string) => string) =>
  typeof value === 'string' && value === change(value) && value.toLowerCase() !== value.toUpperCase();

export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => !(value instanceof Undefined)],
  ['undefined', (value) => value instanceof Undefined],
  ['none', (value) => value === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['integer', (value) => typeof value === 'bigint'],
  ['float', (value) => typeof value === 'number'],
  ['number', (value) => numeric(value) !== undefined],
  ['string', (value) => typeof value === 'string'],
  ['mapping', (value) => value instanceof Map],
  ['sequence', isSequence],
  ['iterable', isSequence],
  ['callable', (value) => value instanceof TemplateFunction],
  ['odd', (value) => rest(value, 2n) !== 0n],
  ['even', (value) => rest(value, 2n) === 0n],
  ['divisibleby', (value, given) => rest(value, BigInt(numeric(first(given)) ?? 0)) === 0n],
  ['lower', (value) => isTextual(value, (text) => text.toLowerCase())],
  ['upper', (value) => isTextual(value, (text) => text.toUpperCase())],
  ['sameas', (value, given) => value === first(given) || (typeof value === 'bigint' && isEqual(value, first(given)))],
  ['escaped', () => false],
  ['in', (value, given) => contains(first(given), value)],
  ['eq', comparison('==')],
  ['equalto', comparison('==')],
  ['==', comparison('==')],
  ['ne', comparison('!=')],
  ['!=', comparison('!=')],
  ['lt', comparison('<')],
  ['lessthan', comparison('<')],
  ['<', comparison('<')],
  ['le', comparison('<=')],
  ['<=', comparison('<=')],
  ['gt', comparison('>')],
  ['greaterthan', comparison('>')],
  ['>', comparison('>')],
  ['ge', comparison('>=')],
  ['>=', comparison('>=')],
]);
