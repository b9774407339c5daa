import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../values/json.ts';
import { compileEncoder } from './encode.ts';
import {
  DateTime,
  Duration,
  Enum,
  Json,
  JsonObject,
  Literal,
  lazy,
  Maybe,
  Nullable,
  RecordOf,
  Shape,
  type TSchema,
  Type,
  Uuid,
} from './kinds.ts';

const encode = (schema: TSchema, value: unknown) => compileEncoder(schema)(value);

test('a row is written in the order of the schema, without unknown fields', () => {
  const Row = Shape('Row', {
    id: Uuid(),
    name: Type.String(),
    count: Type.Integer(),
    paused: Type.Boolean(),
    seconds: Type.Number(),
  });
  assert.equal(
    encode(Row, { seconds: 5, hidden: 1, paused: 0, name: 'a "b"\n', count: 3, id: 'x' }),
    '{"id":"x","name":"a \\"b\\"\\n","count":3,"paused":false,"seconds":5.0}',
  );
});

test('a field that the row lacks is null', () => {
  assert.equal(
    encode(Type.Object({ a: Type.String(), b: Nullable(Uuid()), c: Maybe(Json()) }), { b: null }),
    '{"a":null,"b":null,"c":null}',
  );
});

test('stored JSON is inserted unchanged', () => {
  const Row = Type.Object({
    data: Json(),
    parameters: JsonObject(),
    tags: Type.Array(Type.String()),
    state: Shape('State', { a: Type.Integer() }),
  });
  assert.equal(
    encode(Row, { data: '1.0', parameters: '{"2":1.0,"1":2}', tags: '["x"]', state: '{"a":1}' }),
    '{"data":1.0,"parameters":{"2":1.0,"1":2},"tags":["x"],"state":{"a":1}}',
  );
});

test('parsed JSON is written without loss', () => {
  assert.equal(
    encode(Type.Object({ data: Json() }), { data: parseJson('{"2":[1.0,"a"],"1":12345678901234567890}') }),
    '{"data":{"2":[1.0,"a"],"1":12345678901234567890}}',
  );
});

test('times drop a zero fraction, and durations are seconds', () => {
  assert.equal(encode(DateTime(), '2020-01-01T00:00:00.000000Z'), '"2020-01-01T00:00:00Z"');
  assert.equal(encode(DateTime(), '2020-01-01T00:00:00.500000Z'), '"2020-01-01T00:00:00.500000Z"');
  assert.equal(encode(Duration(), 3600), '3600.0');
});

test('numbers are written as floats, integers as integers', () => {
  const numbers = [1, 1.5, -0, 1e16, 1e-7, Number.NaN].map((value) => encode(Type.Number(), value));
  assert.deepEqual(numbers, ['1.0', '1.5', '-0.0', '1e+16', '1e-7', 'null']);
  const integers = [1, 12n, '9007199254740993', true].map((value) => encode(Type.Integer(), value));
  assert.deepEqual(integers, ['1', '12', '9007199254740993', '1']);
});

test('text of any content is valid JSON', () => {
  for (const text of [
    '',
    '"',
    '\\',
    '\u0000\u001f\u007f',
    '\u2028',
    '\ud800',
    '😀',
    'x'.repeat(200),
    `${'x'.repeat(200)}"`,
  ]) {
    assert.equal(JSON.parse(encode(Type.String(), text)), text);
  }
});

test('lists, tuples and records are written member by member', () => {
  assert.equal(encode(Type.Array(Type.Number()), [1, 2.5]), '[1.0,2.5]');
  assert.equal(encode(Type.Array(Type.Number()), []), '[]');
  assert.equal(encode(Type.Tuple([Type.String(), Type.Number()]), ['a', 1]), '["a",1.0]');
  assert.equal(encode(RecordOf(Type.Number()), { 'a"': 1, b: null }), '{"a\\"":1.0,"b":null}');
});

test('a union writes the branch of the value', () => {
  const One = Shape('One', { kind: Literal('one'), seconds: Type.Number() });
  const Two = Shape('Two', { kind: Literal('two'), count: Type.Integer() });
  assert.equal(encode(Type.Union([One, Two]), { kind: 'two', count: 1 }), '{"kind":"two","count":1}');
  assert.equal(encode(Nullable(Type.Union([One, Two])), { kind: 'one', seconds: 1 }), '{"kind":"one","seconds":1.0}');
  assert.equal(encode(Nullable(Type.Union([One, Two])), null), 'null');
  assert.equal(encode(Type.Union([One, Two]), '{"kind":"stored"}'), '{"kind":"stored"}');
  const Label = Type.Union([Type.Boolean(), Type.Integer(), Type.Number(), Type.String()]);
  assert.equal(encode(Type.Array(Label), [true, 1, 1.5, 'a', parseJson('1.0')]), '[true,1,1.5,"a",1.0]');
  assert.equal(encode(Type.Array(Type.Union([Type.Integer(), Enum('Word', ['any', 'all'])])), ['all', 2]), '["all",2]');
});

test('shapes without a constant are distinguished by their required fields', () => {
  const Interval = Shape('Interval', { interval: Type.Number(), timezone: Maybe(Type.String()) });
  const Cron = Shape('Cron', { cron: Type.String(), timezone: Maybe(Type.String()) });
  assert.equal(
    encode(Type.Union([Interval, Cron]), { cron: '* * * * *', timezone: null }),
    '{"cron":"* * * * *","timezone":null}',
  );
});

test('a shape may contain itself', () => {
  const Tree: TSchema = Shape('Tree', { name: Type.String(), children: Type.Array(lazy(() => Tree)) });
  assert.equal(
    encode(Tree, { name: 'a', children: [{ name: 'b', children: [] }] }),
    '{"name":"a","children":[{"name":"b","children":[]}]}',
  );
});
