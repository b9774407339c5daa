import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedJson, textOf } from './json-text.ts';

test('a value is edited as JSON, and an absent one as an empty text', () => {
  assert.equal(textOf({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}');
  assert.equal(textOf(null), 'null');
  assert.equal(textOf(undefined), '');
});

test('an empty text is an absent value, and other JSON is its value', () => {
  assert.deepEqual(parsedJson(' \n'), { value: undefined });
  assert.deepEqual(parsedJson('null'), { value: null });
  assert.deepEqual(parsedJson('[1, "a"]'), { value: [1, 'a'] });
});

test('what is not JSON says so', () => {
  const read = parsedJson('{"a": ');
  assert.ok('fault' in read);
  assert.match(read.fault, /^This is not JSON: ./);
});
