import assert from 'node:assert/strict';
import { test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { spanOf, textAt, withValue } from './json-span.ts';

test('one value is replaced, and every other byte stays', () => {
  const text =
    ' { "a" : 1.0 , "id":  "x\\"y" ,"params":{"_meta":{"progressToken":12345678901234567890}},"z":[{"id":1}] } ';
  assert.equal(withValue(text, ['id'], '7'), text.replace('"x\\"y"', '7'));
  const path = ['params', '_meta', 'progressToken'];
  assert.equal(withValue(text, path, '"p"'), text.replace('12345678901234567890', '"p"'));
  assert.equal(withValue(text, ['missing'], '7'), text);
  assert.equal(withValue(text, ['a', 'b'], '7'), text);
});

test('a value is found under any key and at any position, as JSON.parse finds it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(3), (object, spaces) => {
      const text = JSON.stringify(object, undefined, spaces);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      for (const key of Object.keys(parsed)) {
        const span = spanOf(text, [key]);
        assert.ok(span);
        assert.deepEqual(JSON.parse(textAt(text, span)), parsed[key]);
        assert.deepEqual((JSON.parse(withValue(text, [key], '"new"')) as typeof parsed)[key], 'new');
      }
    }),
  );
});

test('the last of a repeated key counts', () => {
  assert.equal(withValue('{"id":1,"\\u0069d":2}', ['id'], '3'), '{"id":1,"\\u0069d":3}');
});
