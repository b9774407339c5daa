import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from './places.ts';

/** The places of 64 that each gets when those before it have taken all that they may. */
function takenBy(callers: readonly (readonly string[])[]): number[] {
  const places = new Places(64, [15, 7]);
  return callers.map((shares) => {
    let taken = 0;
    for (; places.mayTake(shares); taken += 1) places.take(shares);
    return taken;
  });
}

test('a caller that is alone has nearly all places, its tenant a few more, and other tenants the rest', () => {
  assert.deepEqual(
    takenBy([
      ['tenant', 'caller'],
      ['tenant', 'colleague'],
      ['tenant', 'third'],
      ['other', 'stranger'],
    ]),
    [56, 4, 0, 4],
  );
});

test('a place that comes back is free for all of its shares, once', () => {
  const places = new Places(2, [1, 1]);
  const release = places.take(['tenant', 'caller']);
  assert.equal(places.mayTake(['tenant', 'colleague']), false);
  release();
  release();
  assert.equal(places.mayTake(['tenant', 'colleague']), true);
  assert.deepEqual([places.heldBy('tenant'), places.heldBy('caller'), places.isFull], [0, 0, false]);
});
