import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode, issues, typesOf } from '../../test/support/decoding.ts';
import { jsonTextOf } from '../values/json.ts';
import { compileDecoder } from './decode.ts';
import { DateTime, Duration, Enum, Literal, OneOf, PositiveDuration, Type, Uuid } from './kinds.ts';

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

describe('single values', () => {
  test('integers are read from whole numbers in every spelling', () => {
    for (const text of ['5', '5.0', '"5"', '" 5 "', '"5.00"', '"+5"', '"0_5"'])
      assert.equal(decode(Type.Integer(), text), 5);
    assert.equal(decode(Type.Integer(), 'true'), 1);
    assert.equal(Object.is(decode(Type.Integer(), '-0.0'), 0), true);
  });

  test('a value that is not an integer is refused', () => {
    assert.deepEqual(typesOf(Type.Integer(), '"5.5"'), ['int_parsing']);
    assert.deepEqual(typesOf(Type.Integer(), '5.5'), ['int_from_float']);
    assert.deepEqual(typesOf(Type.Integer(), '[]'), ['int_type']);
    assert.deepEqual(typesOf(Type.Integer(), 'NaN'), ['finite_number']);
  });

  test('an integer that no column can hold is refused', () => {
    for (const text of ['9223372036854775808', '"9007199254740993"', '1e20']) {
      assert.deepEqual(typesOf(Type.Integer(), text), ['int_parsing_size']);
    }
  });

  test('numbers are never NaN or infinite', () => {
    for (const text of ['1.5', '"1.5"', '"15e-1"']) assert.equal(decode(Type.Number(), text), 1.5);
    for (const text of ['NaN', '1e999', '"inf"']) assert.deepEqual(typesOf(Type.Number(), text), ['finite_number']);
    assert.deepEqual(typesOf(Type.Number(), '"1,5"'), ['float_parsing']);
  });

  test('the error about a limit names the type of the number', () => {
    const result = compileDecoder(Type.Number({ minimum: 60 }), 'body')(5);
    assert.equal(
      jsonTextOf(result),
      '{"ok":false,"issues":[{"type":"greater_than_equal","loc":["body"],"msg":"Input should be greater than or equal to 60","input":5,"ctx":{"ge":60.0}}]}',
    );
    assert.deepEqual(issues(Type.Integer({ maximum: 200 }), '201'), [
      ['less_than_equal', '', 'Input should be less than or equal to 200'],
    ]);
    assert.deepEqual(typesOf(Type.Integer({ exclusiveMinimum: 0 }), '0'), ['greater_than']);
  });

  test('booleans are read from words and from 0 and 1', () => {
    for (const text of ['true', '1', '1.0', '"yes"', '"On"', '"T"']) assert.equal(decode(Type.Boolean(), text), true);
    for (const text of ['false', '0', '"off"', '"N"']) assert.equal(decode(Type.Boolean(), text), false);
    assert.deepEqual(typesOf(Type.Boolean(), '2'), ['bool_parsing']);
    assert.deepEqual(typesOf(Type.Boolean(), '1.5'), ['bool_type']);
  });

  test('an id is read in every spelling and stored in one', () => {
    for (const text of [ID, ID.toUpperCase(), ID.replaceAll('-', ''), `{${ID}}`, `urn:uuid:${ID}`]) {
      assert.equal(decode(Uuid(), JSON.stringify(text)), ID);
    }
    assert.deepEqual(issues(Uuid(), '"abc"'), [
      ['uuid_parsing', '', 'Input should be a valid UUID, invalid length: found 3'],
    ]);
    assert.deepEqual(issues(Uuid(), `"${ID}0"`), [
      ['uuid_parsing', '', 'Input should be a valid UUID, invalid group length in group 4: expected 12, found 13'],
    ]);
    assert.deepEqual(issues(Uuid(), `"z${ID.slice(1)}"`), [
      ['uuid_parsing', '', 'Input should be a valid UUID, invalid character: found `z` at 0'],
    ]);
    assert.deepEqual(typesOf(Uuid(), '5'), ['uuid_type']);
  });

  test('a time is stored in UTC with microseconds', () => {
    assert.equal(decode(DateTime(), '"2020-01-01T00:00:00.5+02:00"'), '2019-12-31T22:00:00.500000Z');
    assert.equal(decode(DateTime(), '1577836800'), '2020-01-01T00:00:00.000000Z');
    assert.deepEqual(issues(DateTime(), '"soon"'), [['value_error', '', 'Value error, Unable to parse string [soon]']]);
    assert.deepEqual(issues(DateTime(), 'true'), [['value_error', '', 'value is not a valid datetime']]);
  });

  test('a duration is stored in seconds', () => {
    for (const text of ['"PT1H"', '"1:00:00"', '3600', '3600.0']) assert.equal(decode(Duration(), text), 3600);
    assert.deepEqual(typesOf(Duration(), '"soon"'), ['time_delta_parsing']);
    assert.deepEqual(typesOf(Duration(), '[]'), ['time_delta_type']);
    // Source: the reference server 3.9.1, which repeats the seconds that it read.
    for (const [given, repeated] of [
      [-1, '-1.0'],
      ['-PT1.5S', '-1.5'],
    ]) {
      assert.match(
        jsonTextOf(compileDecoder(PositiveDuration(), 'body')(given)),
        new RegExp(`"input":${repeated}[,}]`),
      );
    }
  });

  test('text is checked against its length in characters and its pattern', () => {
    const short = Type.String({ minLength: 2, maxLength: 3 });
    assert.equal(decode(short, '"😀😀😀"'), '😀😀😀');
    assert.deepEqual(issues(short, '"😀"'), [['string_too_short', '', 'String should have at least 2 characters']]);
    assert.deepEqual(issues(short, '"abcd"'), [['string_too_long', '', 'String should have at most 3 characters']]);
    assert.deepEqual(issues(Type.String({ pattern: '^[^/]+$' }), '"a/b"'), [
      ['string_pattern_mismatch', '', "String should match pattern '^[^/]+$'"],
    ]);
    assert.deepEqual(typesOf(Type.String(), '5'), ['string_type']);
  });

  test('text that a database cannot hold is refused', () => {
    assert.deepEqual(typesOf(Type.String(), '"a\\u0000"'), ['value_error']);
    assert.deepEqual(typesOf(Type.String(), '"a\\ud800"'), ['string_unicode']);
  });

  test('a named enumeration and plain words get different errors', () => {
    assert.deepEqual(issues(Enum('Sort', ['A', 'B', 'C']), '"X"'), [['enum', '', "Input should be 'A', 'B' or 'C'"]]);
    assert.deepEqual(issues(OneOf(['A', 'B']), '1'), [['literal_error', '', "Input should be 'A' or 'B'"]]);
    assert.deepEqual(issues(Literal('A'), 'null'), [['missing', '', 'Field required']]);
  });
});
