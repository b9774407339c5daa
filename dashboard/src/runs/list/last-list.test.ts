import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsFrom } from './last-list.ts';

const list = { search: {}, ids: ['a', 'b', 'c'] };

test('a run leads to those beside it in the list', () => {
  assert.deepEqual(stepsFrom(list, 'b'), { place: 2, count: 3, previous: 'a', next: 'c' });
  assert.deepEqual(stepsFrom(list, 'a'), { place: 1, count: 3, previous: undefined, next: 'b' });
  assert.deepEqual(stepsFrom(list, 'c'), { place: 3, count: 3, previous: 'b', next: undefined });
});

test('a run of another list leads nowhere', () => {
  assert.equal(stepsFrom(list, 'x'), undefined);
  assert.equal(stepsFrom(undefined, 'a'), undefined);
});
