import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addSeconds,
  Clock,
  microsecondsOf,
  secondsBetween,
  type Timestamp,
  timestampFromMicroseconds,
  wireTimestamp,
} from './time.ts';

describe('timestamps', () => {
  const start = '2026-11-20T15:59:20.431760Z' as Timestamp;

  test('keep microseconds through arithmetic', () => {
    assert.equal(timestampFromMicroseconds(microsecondsOf(start)), start);
    assert.equal(addSeconds(start, 0.000001), '2026-11-20T15:59:20.431761Z');
    assert.equal(addSeconds(start, -86_400.5), '2026-11-19T15:59:19.931760Z');
    assert.equal(secondsBetween(start, addSeconds(start, 12.345678)), 12.345678);
  });

  test('sort as text in the order of time, before 1970 too', () => {
    const times = [-2_000_001, -1, 0, 999, 1_000_000, 1_795_200_000_000_001].map(timestampFromMicroseconds);
    assert.deepEqual(times.toSorted(), times);
  });

  test('stay within the calendar, whatever is added', () => {
    for (const seconds of [1e12, 1e18, Number.MAX_VALUE]) {
      assert.equal(addSeconds(start, seconds), '9999-12-31T23:59:59.999968Z');
      assert.equal(addSeconds(start, -seconds), '0001-01-01T00:00:00.000000Z');
    }
    const last = '9999-12-31T23:59:59.999999Z' as Timestamp;
    assert.equal(timestampFromMicroseconds(microsecondsOf(last)), '9999-12-31T23:59:59.999968Z');
    assert.equal(addSeconds('0001-01-01T00:00:00.000000Z' as Timestamp, -60), '0001-01-01T00:00:00.000000Z');
  });

  test('drop a zero fraction on the wire, and no other', () => {
    assert.equal(wireTimestamp('2026-11-20T15:59:20.000000Z'), '2026-11-20T15:59:20Z');
    assert.equal(wireTimestamp('2026-11-20T15:59:20.100000Z'), '2026-11-20T15:59:20.100000Z');
  });

  test('the clock never repeats a time and never goes back', () => {
    const clock = new Clock();
    const seen = Array.from({ length: 5000 }, () => clock.microseconds());
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(
      seen.toSorted((left, right) => left - right),
      seen,
    );
  });
});
