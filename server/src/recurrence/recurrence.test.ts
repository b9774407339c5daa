import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addSeconds, type Timestamp } from '../values/time.ts';
import { changed, daysOf, MOST_DAYS, neverSeen, seenAt, standingOf, unseen } from './recurrence.ts';

const NOW = '2026-11-29T12:00:00.000000Z' as Timestamp;
const DAY = 86_400;
const at = (seconds: number) => addSeconds(NOW, seconds);
const seen = (...times: Timestamp[]) => seenAt(neverSeen(NOW), times, NOW).after;

describe('something that happens again', () => {
  test('keeps its first and its last time, whatever the order in which they are counted', () => {
    const { after, what } = seenAt(seen(at(-10)), [at(-5), at(-20)], NOW);
    assert.deepEqual([after.first_seen, after.last_seen, after.count, what], [at(-20), at(-5), 3, 'repeated']);
    assert.equal(seenAt(neverSeen(NOW), [NOW], NOW).what, 'created');
  });

  test('keeps the counts of its newest days only', () => {
    const times = Array.from({ length: MOST_DAYS + 5 }, (_, index) => at(-index * DAY));
    const days = daysOf(seen(...times, NOW).days);
    assert.equal(days.length, MOST_DAYS);
    assert.deepEqual(days.at(-1), { day: '2026-11-29', count: 2 });
  });

  test('is without the times that belong to another cause', () => {
    const left = unseen(seen(at(-DAY), NOW), [NOW]);
    assert.deepEqual([left.count, daysOf(left.days)], [1, [{ day: '2026-11-28', count: 1 }]]);
  });

  test('is new for a day', () => {
    assert.equal(standingOf(seen(at(-DAY + 1)), NOW), 'new');
    assert.equal(standingOf(seen(at(-DAY)), NOW), 'again');
  });

  test('comes back only with a later time than that at which it was resolved', () => {
    const resolved = { ...seen(at(-60)), ...changed(seen(at(-60)), { resolved: true }, at(-30)) };
    const late = seenAt(resolved, [at(-40)], NOW);
    assert.deepEqual([standingOf(late.after, NOW), late.what], ['resolved', undefined]);
    const again = seenAt(resolved, [at(-10)], NOW);
    assert.deepEqual([standingOf(again.after, NOW), again.what], ['regressed', 'regressed']);
  });

  test('is muted until its time, or until its count', () => {
    const before = seen(at(-60));
    const untilTime = { ...before, ...changed(before, { muted_until: at(60) }, NOW) };
    assert.deepEqual([standingOf(untilTime, NOW), standingOf(untilTime, at(61))], ['muted', 'new']);
    const untilCount = { ...before, ...changed(before, { muted_for: 2 }, NOW) };
    const once = seenAt(untilCount, [NOW], NOW);
    assert.deepEqual([standingOf(once.after, NOW), once.what], ['muted', undefined]);
    assert.equal(seenAt(once.after, [NOW], NOW).what, 'repeated');
  });
});
