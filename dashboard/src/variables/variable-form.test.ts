import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf } from './variable-form.ts';

test('the value of a variable is sent as it is written', () => {
  const value = '{"port": 12345678901234567890, "rate": 1.0}';
  assert.equal(
    bodyOf({ name: 'region', value, tags: ['prod', 'eu'] }),
    `{"name":"region","value":${value},"tags":["prod","eu"]}`,
  );
});

test('a name and a tag with quotes stay one name and one tag', () => {
  const [name, tag] = ['a","value":0,"x":"', '"]'];
  assert.deepEqual(JSON.parse(bodyOf({ name, value: '1', tags: [tag] })), { name, value: 1, tags: [tag] });
});
