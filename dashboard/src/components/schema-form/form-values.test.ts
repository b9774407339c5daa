import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorSchemaOf, withoutEmpty } from './form-values.ts';

test('fields that were emptied are not sent', () => {
  assert.deepEqual(withoutEmpty({ name: 'x', count: undefined, list: [] }, new Set()), { name: 'x', list: [] });
  assert.deepEqual(withoutEmpty(undefined, new Set()), {});
});

test('a null is sent only where it says more than an absent field', () => {
  assert.deepEqual(withoutEmpty({ region: null, limit: null }, new Set(['region'])), { limit: null });
});

test('problems stand at their fields, in the order in which they were found', () => {
  const problems = [
    { path: ['address', 'zip'], message: 'Too long.' },
    { path: ['address'], message: 'Unknown.' },
    { path: ['address', 'zip'], message: 'Not a number.' },
    { path: [], message: 'Of the whole form.' },
  ];
  const shown = errorSchemaOf(problems);
  assert.deepEqual(structuredClone(shown), {
    address: { __errors: ['Unknown.'], zip: { __errors: ['Too long.', 'Not a number.'] } },
  });
});

test('a field that is named like a property of JavaScript has its own problems, and no other field has them', () => {
  const message = 'A value is needed.';
  const shown = errorSchemaOf(['constructor', '__proto__', 'toString'].map((name) => ({ path: [name, 'x'], message })));
  assert.deepEqual(Object.keys(shown), ['constructor', '__proto__', 'toString']);
  for (const [, field] of Object.entries(shown))
    assert.deepEqual(Object.entries(field ?? {}), [['x', { __errors: [message] }]]);
  assert.equal('__errors' in {}, false);
  assert.equal('x' in {}, false);
});
