/** Compares the buckets of triggers with models that look at all events of a window at once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { type Bucket, bucketFrom, type ObservedEvent, observeEvent, passTime, type WindowRule } from './bucket.ts';
import { HeldOfKey } from './held-events.ts';

interface Seen {
  readonly at: number;
  readonly kind: 'opens' | 'counts' | 'both';
}

const seconds = (count: number) => count * 1_000_000;

function run(rule: WindowRule, events: readonly Seen[], from?: Bucket) {
  let bucket = from;
  const held = new HeldOfKey();
  const fired: { readonly by: number; readonly last: string | null }[] = [];
  for (const [index, { at, kind }] of events.entries()) {
    const event: ObservedEvent = {
      id: String(index),
      occurred: seconds(at),
      opens: kind !== 'counts',
      counts: kind !== 'opens',
    };
    const outcome = observeEvent(rule, bucket, event, held);
    bucket = outcome.bucket;
    for (const last of outcome.fired) fired.push({ by: index, last });
  }
  return { fired, bucket, held };
}

const window = fc.integer({ min: 10, max: 30 });
const threshold = fc.integer({ min: 1, max: 4 });
const steps = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 });

/** Times that never decrease. */
function timesOf(gaps: readonly number[]): number[] {
  let time = 1_000_000;
  return gaps.map((gap) => (time += gap));
}

describe('buckets', () => {
  test('a reactive trigger fires at the event that completes its threshold, once per window', () => {
    fc.assert(
      fc.property(window, threshold, steps, (within, wanted, gaps) => {
        const times = timesOf(gaps);
        const rule = { isProactive: false, opensAfter: false, threshold: wanted, withinMicroseconds: seconds(within) };
        const { fired } = run(
          rule,
          times.map((at) => ({ at, kind: 'counts' })),
        );
        assert.deepEqual(
          fired.map(({ by }) => by),
          modelReactive(times, within, wanted),
        );
        assert.ok(fired.every(({ by, last }) => last === String(by)));
      }),
    );
  });

  test('a reactive trigger that waits for an event fires for later events', () => {
    const kinds = fc.array(fc.constantFrom<Seen['kind']>('opens', 'counts'), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(window, threshold, steps, kinds, (within, wanted, gaps, kind) => {
        const events = timesOf(gaps).map((at, index) => ({ at, kind: kind[index]! }));
        const rule = { isProactive: false, opensAfter: true, threshold: wanted, withinMicroseconds: seconds(within) };
        assert.deepEqual(
          run(rule, events).fired.map(({ by }) => by),
          modelAfter(events, within, wanted),
        );
      }),
    );
  });

  test('a proactive trigger fires once for each window that stays below its threshold', () => {
    const kinds = fc.array(fc.constantFrom<Seen['kind']>('opens', 'counts'), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(window, threshold, steps, kinds, (within, wanted, gaps, kind) => {
        const events = timesOf(gaps).map((at, index) => ({ at, kind: kind[index]! }));
        const rule = { isProactive: true, opensAfter: true, threshold: wanted, withinMicroseconds: seconds(within) };
        const { fired, bucket, held } = run(rule, events);
        const end = bucket ? passTime(rule, bucket, bucket.end, held) : { bucket, fired: [] };
        assert.equal(end.bucket, undefined);
        assert.equal(fired.length + end.fired.length, modelMissed(events, within, wanted));
      }),
    );
  });

  test('time alone changes nothing before the end of a window, and nothing at all for reactive triggers', () => {
    fc.assert(
      fc.property(window, threshold, fc.boolean(), (within, wanted, isProactive) => {
        const rule = { isProactive, opensAfter: false, threshold: wanted, withinMicroseconds: seconds(within) };
        const held = new HeldOfKey();
        const bucket = bucketFrom(rule, seconds(5), held);
        assert.equal(passTime(rule, bucket, bucket.end - 1, held).bucket, bucket);
        const { bucket: next, fired } = passTime(rule, bucket, bucket.end + 7, held);
        assert.deepEqual(fired, isProactive ? [null] : []);
        assert.deepEqual(next, isProactive ? bucketFrom(rule, bucket.end + 7, held) : bucket);
      }),
    );
  });

  test('in any order, a trigger never fires more often than its events allow', () => {
    const anyTimes = fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 40 });
    fc.assert(
      fc.property(window, threshold, anyTimes, (within, wanted, times) => {
        const rule = { isProactive: false, opensAfter: false, threshold: wanted, withinMicroseconds: seconds(within) };
        const { fired } = run(
          rule,
          times.map((at) => ({ at, kind: 'counts' })),
        );
        assert.ok(fired.length * wanted <= times.length);
      }),
    );
  });

  test('a continuing heartbeat keeps moving its window', () => {
    const rule = { isProactive: true, opensAfter: true, threshold: 1, withinMicroseconds: seconds(10) };
    const { bucket, fired, held } = run(
      rule,
      [0, 5, 10, 18].map((at) => ({ at, kind: 'both' })),
    );
    assert.deepEqual(fired, []);
    assert.deepEqual(passTime(rule, bucket!, seconds(28), held).fired, ['3']);
  });

  test('events that only count are counted once in each window over them, in any order of arrival', () => {
    const anyTime = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(window, threshold, fc.array(anyTime, { maxLength: 12 }), anyTime, (within, wanted, ends, opens) => {
        const rule = { isProactive: true, opensAfter: true, threshold: wanted, withinMicroseconds: seconds(within) };
        const after: Seen[] = ends.map((at) => ({ at, kind: 'counts' }));
        const { bucket, held } = run(rule, [...after, { at: opens, kind: 'opens' }]);
        const inside = ends.filter((at) => at >= opens && at < opens + within).length;
        assert.equal(bucket?.count, inside);
        const again = observeEvent(
          rule,
          bucket,
          { id: '0', occurred: seconds(opens), opens: false, counts: true },
          held,
        );
        assert.equal(again.bucket?.count, ends.length > 0 ? inside : 1, 'the same event again');
      }),
    );
  });

  test('an event after its window names itself, and the next window names none', () => {
    const rule = { isProactive: true, opensAfter: false, threshold: 2, withinMicroseconds: seconds(10) };
    const { bucket, fired, held } = run(
      rule,
      [0, 11].map((at) => ({ at, kind: 'counts' })),
    );
    assert.deepEqual(fired, [{ by: 1, last: '1' }]);
    assert.deepEqual(passTime(rule, bucket!, seconds(21), held).fired, [null]);
  });

  test('a window whose threshold is reached ends at the next look', () => {
    const rule = { isProactive: true, opensAfter: false, threshold: 1, withinMicroseconds: seconds(10) };
    const { bucket, held } = run(rule, [{ at: 0, kind: 'counts' }]);
    assert.deepEqual(passTime(rule, bucket!, seconds(1), held), { bucket: undefined, fired: [] });
  });

  test('a moved window names the event that ended it, where that is not older than the heartbeat', () => {
    const rule = { isProactive: true, opensAfter: true, threshold: 2, withinMicroseconds: seconds(10) };
    const { bucket, held } = run(rule, [
      { at: -3, kind: 'both' },
      { at: -1, kind: 'counts' },
      { at: -2, kind: 'both' },
    ]);
    assert.deepEqual(passTime(rule, bucket!, seconds(8), held).fired, ['1']);
  });

  test('a window at the end of the calendar causes no error', () => {
    const rule = { isProactive: false, opensAfter: false, threshold: 2, withinMicroseconds: seconds(1e9) };
    assert.equal(run(rule, [{ at: 9e9, kind: 'counts' }]).fired.length, 0);
  });
});

/** Windows of `within` seconds. The first begins with the first event; each next one at the end or a later event. */
function modelReactive(times: readonly number[], within: number, wanted: number): number[] {
  const fired: number[] = [];
  let next = 0;
  let start = times[0] ?? 0;
  while (next < times.length) {
    const inside = times.flatMap((time, index) =>
      index >= next && time >= start && time < start + within ? [index] : [],
    );
    const completes = inside[wanted - 1];
    if (completes !== undefined) {
      fired.push(completes);
      next = completes + 1;
    } else {
      next = times.findIndex((time, index) => index >= next && time >= start + within);
      if (next < 0) break;
    }
    const later = times.find((time, index) => index >= next && time >= start + within);
    if (later === undefined) break;
    start = completes !== undefined && later < start + 2 * within ? start + within : later;
    next = times.findIndex((time, index) => index >= next && time >= start);
  }
  return fired;
}

/** A window stays until a counting event comes that lies after it. */
function modelAfter(events: readonly Seen[], within: number, wanted: number): number[] {
  const fired: number[] = [];
  let from = 0;
  for (;;) {
    const opener = events.findIndex(({ kind }, index) => index >= from && kind === 'opens');
    if (opener < 0) return fired;
    const end = events[opener]!.at + within;
    const later = events.flatMap(({ at, kind }, index) => (index > opener && kind === 'counts' ? [{ at, index }] : []));
    const completes = later.filter(({ at }) => at < end)[wanted - 1]?.index;
    if (completes !== undefined) fired.push(completes);
    const over = completes ?? later.find(({ at }) => at >= end)?.index;
    if (over === undefined) return fired;
    from = over + 1;
  }
}

/** How many windows a proactive trigger misses when the clock looks after all events. */
function modelMissed(events: readonly Seen[], within: number, wanted: number): number {
  let missed = 0;
  let from = 0;
  for (;;) {
    const opener = events.findIndex(({ kind }, index) => index >= from && kind === 'opens');
    if (opener < 0) return missed;
    const start = events[opener]!.at;
    const over = events.findIndex(({ at, kind }, index) => index > opener && kind === 'counts' && at >= start + within);
    const inside = events.filter(({ at, kind }) => kind === 'counts' && at >= start && at < start + within);
    if (inside.length < wanted) missed++;
    if (over < 0) return missed;
    from = over + 1;
  }
}
