import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endsSoon, expiryOf, lifetimesWithin, usualLifetime } from './expiry.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

describe('the expiry of a key', () => {
  test('may be any that the greatest age allows, and that age itself', () => {
    assert.deepEqual(
      lifetimesWithin(null).map(([value]) => value),
      ['7', '30', '90', '365', 'none'],
    );
    assert.deepEqual(lifetimesWithin(30), [
      ['7', 'In 7 days'],
      ['none', 'In 30 days, the maximum age'],
    ]);
    assert.deepEqual([usualLifetime(null), usualLifetime(30), usualLifetime(365)], ['90', 'none', '90']);
  });

  test('is a time, or null for as long as is allowed', () => {
    assert.equal(expiryOf('7', now), '2026-11-27T12:00:00.000Z');
    assert.equal(expiryOf('none', now), null);
  });

  test('is soon within two weeks, for a key that works', () => {
    const key = (state: 'active' | 'revoked', expiresAt: string | null) => endsSoon({ state, expiresAt }, now);
    assert.equal(key('active', '2026-12-04T12:00:00Z'), true);
    assert.equal(key('active', '2026-12-04T12:00:01Z'), false);
    assert.equal(key('revoked', '2026-11-21T12:00:00Z'), false);
    assert.equal(key('active', null), false);
  });
});
