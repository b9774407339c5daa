import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CappedShares } from './capped-shares.ts';

test('each holder and all holders together have a limit, and returned amounts are available again', () => {
  const shares = new CappedShares(3, 2);
  assert.deepEqual(
    ['a', 'a', 'a', 'b', 'c', undefined].map((holder) => shares.take(holder)),
    [true, true, false, true, false, false],
  );
  shares.giveBack('a');
  assert.equal(shares.take(undefined), true);
  shares.giveBack(undefined);
  shares.giveBack('b');
  assert.equal(shares.take('a'), true);
  assert.equal(shares.take('a'), false);
});

test('an amount is taken as a whole or not at all', () => {
  const shares = new CappedShares(10, 6);
  assert.equal(shares.take('a', 7), false);
  assert.equal(shares.take('a', 6), true);
  assert.equal(shares.take('b', 5), false);
  assert.equal(shares.take('b', 4), true);
  assert.equal(shares.isFull, true);
  shares.giveBack('a', 6);
  assert.equal(shares.isFull, false);
  assert.equal(shares.take('a', 6), true);
});
