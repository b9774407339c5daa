import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, oneOf, parseSearch, readSearch, stringifySearch, text } from './search.ts';

test('what an address says is read again as it was written', () => {
  const search = {
    state: 'FAILED,CRASHED',
    q: 'a&b=c #1 + "x" 100%',
    name: 'ü 🚀',
    id: '007',
    big: '12345678901234567890',
  };
  assert.deepEqual(parseSearch(stringifySearch(search)), search);
});

test('an address without anything to say has no question mark', () => {
  assert.equal(stringifySearch({}), '');
  assert.equal(stringifySearch({ tab: undefined }), '');
  assert.equal(stringifySearch({ new: true, page: 2 }), '?new=true&page=2');
});

test('of a name that stands twice the last value counts', () => {
  assert.deepEqual(parseSearch('?a=1&a=2&b'), { a: '2', b: '' });
});

test('a name of JavaScript itself is a name like any other', () => {
  const read = parseSearch('?__proto__=x&constructor=y');
  assert.deepEqual(Object.entries(read), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});

test('a value is text or nothing', () => {
  assert.deepEqual(
    [text('x'), text(''), text(undefined), text(7), text(null)],
    ['x', undefined, undefined, undefined, undefined],
  );
});

test('a switch is on or absent', () => {
  assert.deepEqual([true, 'true', 'false', '', 1, undefined].map(flag), [
    true,
    true,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a word is one of a few or absent', () => {
  assert.deepEqual(['yes', 'maybe', '', undefined].map(oneOf('yes', 'no')), ['yes', undefined, undefined, undefined]);
});

test('a search has the declared names and no others', () => {
  assert.deepEqual(readSearch({ name: text, new: flag }, { name: '', new: 'true', other: 'x' }), {
    name: undefined,
    new: true,
  });
});
