import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt, idAt, isUuid } from './id.ts';

const NOON = 1_773_576_000_000_000;

test('ids sort by their creation time, to the microsecond', () => {
  const times = [0, 1, 999, 1000, 1001, 1_000_000, 86_400_000_000].map((later) => NOON + later);
  const ids = times.map(idAt);
  assert.deepEqual(ids.toSorted(), ids);
  for (const [index, time] of times.entries()) {
    assert.ok(isUuid(ids[index]!));
    assert.ok(firstIdAt(time) <= ids[index]! && ids[index]! < firstIdAt(time + 1));
  }
});

test('ids of the same microsecond differ', () => {
  assert.equal(new Set(Array.from({ length: 10_000 }, () => idAt(NOON))).size, 10_000);
});

test('a time before 1970 counts as 1970', () => {
  assert.equal(firstIdAt(-62_135_596_800_000_000), firstIdAt(0));
});
