import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from './differences.ts';

const shown = (before: unknown, now: unknown) =>
  differencesOf(before, now).map(({ name, before: then, now: present }) => `${name}: ${then} → ${present}`);

test('names the values that differ, and no more', () => {
  const before = { day: 'monday', limit: 10, old: true, load: { retries: 1, to: 'eu' } };
  const now = { day: 'tuesday', limit: 10, added: null, load: { retries: 2, to: 'eu' } };
  assert.deepEqual(shown(before, now), [
    'added: null → null',
    'day: "monday" → "tuesday"',
    'load.retries: 1 → 2',
    'old: true → null',
  ]);
  assert.deepEqual(shown(before, structuredClone(before)), []);
});

test('names the items that an array has lost and gained', () => {
  const columns = ['order_id', 'amount', 'currency'];
  assert.deepEqual(shown({ columns }, { columns: ['order_id', 'amount'] }), ['columns: "currency" → null']);
  assert.deepEqual(shown({ columns: [1, 1, 2] }, { columns: [1, 2, 3] }), ['columns: 1 → null', 'columns: null → 3']);
  assert.deepEqual(shown({ columns: [1, 2] }, { columns: [2, 1] }), ['columns: [1,2] → [2,1]']);
  assert.deepEqual(shown({ rows: [{ id: 1 }, { id: 2 }] }, { rows: [{ id: 1 }, { id: 3 }] }), ['rows[1].id: 2 → 3']);
});

test('compares values of other kinds as a whole', () => {
  assert.deepEqual(shown({ a: { b: 1 } }, { a: [1] }), ['a: {"b":1} → [1]']);
});

test('shows of long values the part that differs', () => {
  const text = (end: string) => `${'select a, '.repeat(200)}${end}`;
  const [query] = differencesOf({ query: text('b from x') }, { query: text('c from x') });
  assert.match(query?.before ?? '', /^….{60,500}b from x"$/);
  assert.match(query?.now ?? '', /^….{60,500}c from x"$/);
  const [cut] = differencesOf({ query: text('b') }, { query: 'select a, ' });
  assert.match(cut?.before ?? '', /^"select a, select a/);
  assert.equal(cut?.now, '"select a, "');
});

test('is bounded for long and deep values', () => {
  const many = (from: number) => ({ ids: Array.from({ length: 10_000 }, (_, index) => from + index) });
  assert.equal(differencesOf(many(0), many(20_000)).length, 50);
  const wide = (value: number) => Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, value]));
  assert.equal(differencesOf(wide(1), wide(2)).length, 50);
  const deep = (value: number) => JSON.parse(`${'{"a":'.repeat(5000)}${value}${'}'.repeat(5000)}`);
  const [difference] = differencesOf(deep(1), deep(2));
  assert.equal(difference?.name, Array.from({ length: 20 }, () => 'a').join('.'));
  assert.ok(differencesOf({ text: 'x'.repeat(10_000) }, {})[0]!.before!.length <= 501);
});
