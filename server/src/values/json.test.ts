import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  floatText,
  isFloat,
  JsonLimitError,
  JsonSyntaxError,
  jsonTextOf,
  keysInOrder,
  numberOf,
  parseJson,
  parseObject,
} from './json.ts';

const roundTrip = (text: string) => jsonTextOf(parseJson(text));

describe('reading and printing JSON', () => {
  test('numbers keep their type and value', () => {
    for (const text of [
      '1',
      '1.0',
      '-0.0',
      '0.1',
      '1.5',
      '12345678901234567890',
      '-9007199254740993',
      '1e+16',
      '1e-7',
    ]) {
      assert.equal(roundTrip(`{"a":[${text}]}`), `{"a":[${text}]}`);
    }
  });

  test('floats are printed as the reference prints them', () => {
    assert.equal(
      roundTrip('[1e5,1E+2,1.50,0.000011,0.0000011,1e16,-0.0,-0]'),
      '[100000.0,100.0,1.5,0.000011,1.1e-6,1e+16,-0.0,0]',
    );
  });

  test('numbers that JSON cannot represent become null', () => {
    assert.equal(roundTrip('{"a":NaN,"b":[Infinity,-Infinity,1e999,-1e999]}'), '{"a":null,"b":[null,null,null,null]}');
  });

  test('keys keep their order, even where JavaScript would sort them', () => {
    const text = '{"b":1,"2":{"10":1,"9":[{"x":0,"0":1}]},"1":2,"01":3}';
    assert.equal(roundTrip(text), text);
    assert.deepEqual(keysInOrder(parseJson(text) as object), ['b', '2', '1', '01']);
    assert.equal(roundTrip('{"\\u0032":1,"1":2}'), '{"2":1,"1":2}');
  });

  test('the order is kept in an object merged from others', () => {
    const defaults = parseJson('{"x":1.0,"inner":{"2":0,"1":0}}') as object;
    assert.equal(jsonTextOf({ ...defaults, more: [1] }), '{"x":1.0,"inner":{"2":0,"1":0},"more":[1]}');
  });

  test('the last value of a repeated key counts, at the position of the first', () => {
    assert.equal(roundTrip('{"2":1,"1":1,"2":3.0}'), '{"2":3.0,"1":1}');
  });

  test('a key called __proto__ is an ordinary key', () => {
    const text = '{"__proto__":{"a":1.0},"constructor":2}';
    const value = parseJson(text) as { a?: unknown };
    assert.equal(value.a, undefined);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(jsonTextOf(value), text);
  });

  test('text is kept exactly, lone surrogates and NUL included', () => {
    assert.equal(roundTrip('"\\ud83d\\ude00 \\ud800 \\u0000 é \\/"'), '"😀 \\ud800 \\u0000 é /"');
    assert.equal(roundTrip('["1.0\\"", 1.0]'), '["1.0\\"",1.0]');
  });

  test('white space and a byte order mark are ignored', () => {
    assert.equal(roundTrip('\ufeff { "a" :\n[ 1.0 , 2 ]\t}\r'), '{"a":[1.0,2]}');
  });

  test('plain data prints as JSON, undefined as null', () => {
    assert.equal(jsonTextOf({ a: undefined, b: [undefined] }), '{"b":[null]}');
    assert.equal(jsonTextOf(undefined), 'null');
  });

  test('a stored object can be inspected, and numbers of both types can be read', () => {
    const object = parseObject(jsonTextOf(parseJson('{"a":5.0,"b":2.5,"c":"x"}')));
    assert.deepEqual([numberOf(object['a']), numberOf(object['b']), numberOf(object['c'])], [5, 2.5, undefined]);
    assert.deepEqual([isFloat(object['a']), isFloat(object['b']), isFloat(1)], [true, true, false]);
    assert.deepEqual(parseObject(jsonTextOf([1])), {});
  });

  test('a float is printed as a float', () => {
    assert.deepEqual([0, 1, -1.5, 1e15, 1e16, 1e-5, 1e-6].map(floatText), [
      '0.0',
      '1.0',
      '-1.5',
      '1000000000000000.0',
      '1e+16',
      '0.00001',
      '1e-6',
    ]);
    assert.equal(floatText(Number.NaN), 'null');
  });
});

describe('text that is not JSON', () => {
  /** The errors of Python's reader. */
  const faults: readonly (readonly [text: string, reason: string, position: number])[] = [
    ['', 'Expecting value', 0],
    ['   ', 'Expecting value', 3],
    ['{', 'Expecting property name enclosed in double quotes', 1],
    ['{"name":}', 'Expecting value', 8],
    ['{"name" 1}', "Expecting ':' delimiter", 8],
    ['{"a":1 "b"', "Expecting ',' delimiter", 7],
    ['{"a":1,}', 'Expecting property name enclosed in double quotes', 7],
    ['[1,]', 'Expecting value', 3],
    ['[1 2]', "Expecting ',' delimiter", 3],
    ['{"name":"a"} x', 'Extra data', 13],
    ['01', 'Extra data', 1],
    ['[tru]', 'Expecting value', 1],
    ['-', 'Expecting value', 0],
    ['{"a":"x', 'Unterminated string starting at', 5],
    ['"a\u0001"', 'Invalid control character at', 2],
    ['"a\\x"', 'Invalid \\escape', 2],
    ['"\\u12"', 'Invalid \\uXXXX escape', 2],
    ['"\\u0031', 'Invalid \\uXXXX escape', 2],
    ['["😀é",x]', 'Expecting value', 6],
  ];

  test('is refused with the reason and the position in characters', () => {
    for (const [text, reason, position] of faults) {
      assert.throws(
        () => parseJson(text),
        (error) => {
          assert.ok(error instanceof JsonSyntaxError);
          assert.deepEqual([error.reason, error.position], [reason, position], text);
          return true;
        },
      );
    }
  });

  test('a megabyte of brackets is refused without a stack overflow', () => {
    assert.throws(() => parseJson('['.repeat(1_000_000)), JsonLimitError);
    assert.throws(() => parseJson('{"a":'.repeat(200_000)), JsonLimitError);
  });

  test('values as deep as the reference stores them are read, and the limit can be set', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    assert.equal(roundTrip(nested(257)), nested(257));
    assert.throws(() => parseJson(nested(301)), JsonLimitError);
    assert.throws(() => parseJson(nested(3), { maxDepth: 2 }), JsonLimitError);
  });

  test('an integer longer than Python converts is refused', () => {
    assert.equal(roundTrip('9'.repeat(4300)), '9'.repeat(4300));
    assert.throws(() => parseJson('9'.repeat(4301)), JsonLimitError);
  });
});
