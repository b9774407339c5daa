import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differingParts, endOf, plainValue, startOf } from './differing-parts.ts';

const shown = (before: string, now: string) => Object.values(differingParts(before, now));

test('the part that differs has whole words', () => {
  assert.deepEqual(shown('select a from x', 'select b from x'), ['select ', 'a', 'b', ' from x']);
  assert.deepEqual(shown('"monday"', '"tuesday"'), ['"', 'monday', 'tuesday', '"']);
  assert.deepEqual(shown('read 100 rows', 'read 1000 rows'), ['read ', '100', '1000', ' rows']);
});

test('one text may only have more than the other, or nothing in common with it', () => {
  assert.deepEqual(shown('a b', 'a b c'), ['a b', '', ' c', '']);
  assert.deepEqual(shown('', 'x'), ['', '', 'x', '']);
  assert.deepEqual(shown('1', '2'), ['', '1', '2', '']);
  assert.deepEqual(shown('aa', 'aa aa'), ['aa', '', ' aa', '']);
});

test('equal texts do not differ', () => {
  assert.deepEqual(shown('same', 'same'), ['same', '', '', '']);
});

test('long equal parts keep what is beside the difference', () => {
  const long = 'x '.repeat(50);
  assert.equal(endOf(`${long}end`), `…${`${long}end`.slice(-30)}`);
  assert.equal(startOf(`start ${long}`), `${`start ${long}`.slice(0, 30)}…`);
  assert.deepEqual([endOf('short'), startOf('short')], ['short', 'short']);
});

test('a word stands without quotes, and a text that looks like another value keeps them', () => {
  assert.deepEqual(['"currency"', '"2 days"', '"true"', 'true', '"a\\"b"', '[1]', '""'].map(plainValue), [
    'currency',
    '"2 days"',
    '"true"',
    'true',
    '"a\\"b"',
    '[1]',
    '""',
  ]);
});
