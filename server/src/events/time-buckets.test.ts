import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unprocessable } from '../errors.ts';
import type { Timestamp } from '../values/time.ts';
import { type AskedTime, filledBuckets, timeBuckets } from './time-buckets.ts';

const at = (text: string) => text as Timestamp;
const asked: AskedTime = {
  since: at('2026-11-10T05:06:07.500000Z'),
  until: at('2026-11-12T12:00:00.000000Z'),
  unit: 'day',
  interval: 1,
  now: at('2026-11-20T10:00:00.000000Z'),
};

test('buckets begin a whole number of widths from a Monday and cover the requested time', () => {
  assert.deepEqual(timeBuckets(asked).starts, [
    '2026-11-10T00:00:00.000000Z',
    '2026-11-11T00:00:00.000000Z',
    '2026-11-12T00:00:00.000000Z',
  ]);
  assert.deepEqual(timeBuckets({ ...asked, unit: 'week' }).starts, ['2026-11-09T00:00:00.000000Z']);
  assert.equal(timeBuckets({ ...asked, interval: 0.7 }).starts[0], '2026-11-09T16:48:00.000000Z');
  const early = { since: at('2024-03-30T05:00:00.000000Z'), until: at('2024-04-02T01:00:00.000000Z') };
  assert.equal(timeBuckets({ ...asked, ...early }).starts.length, 4);
});

test('the future is cut at the end of the current unit', () => {
  const until = at('2026-11-27T10:00:00.000000Z');
  const buckets = timeBuckets({ ...asked, since: at('2026-11-20T08:30:00.000000Z'), until, unit: 'hour' });
  assert.deepEqual(
    buckets.starts.map((start) => start.slice(11, 16)),
    ['08:00', '09:00', '10:00'],
  );
  assert.equal(buckets.end, '2026-11-20T11:00:00.000000Z');
});

test('empty buckets are returned, with their labels and ends', () => {
  const filled = filledBuckets(timeBuckets({ ...asked, unit: 'hour', interval: 12 }), new Map([[1, 4]]));
  assert.equal(filled.length, 5);
  assert.deepEqual(filled[1], {
    value: '1',
    label: '2026-11-10T12:00:00+00:00',
    count: 4,
    start_time: '2026-11-10T12:00:00.000000Z',
    end_time: '2026-11-10T23:59:59.999999Z',
  });
});

test('a bucket that begins at the end of the requested time is returned when it holds an event', () => {
  const buckets = timeBuckets({ ...asked, until: at('2026-11-12T00:00:00.000000Z') });
  assert.equal(filledBuckets(buckets, new Map()).length, 2);
  assert.equal(filledBuckets(buckets, new Map([[2, 1]])).length, 3);
});

test('an end before the beginning gives no buckets', () => {
  assert.deepEqual(timeBuckets({ ...asked, since: asked.until, until: asked.since }).starts, []);
});

test('more than a thousand buckets are refused with their number', () => {
  assert.throws(() => timeBuckets({ ...asked, unit: 'second' }), {
    constructor: Unprocessable,
    message:
      'The given interval would create 197633 buckets, which is too many. Please increase the interval or reduce the time range to produce 1000 buckets or fewer.',
  });
});

test('the length of the requested time, not the number of buckets it touches, decides whether there are too many', () => {
  const noon = { ...asked, unit: 'minute', since: at('2026-11-10T12:00:30.000000Z') } as const;
  const thousand = { ...noon, until: at('2026-11-11T04:40:30.000000Z') };
  assert.equal(timeBuckets(thousand).starts.length, 1001);
  const tooMany = (number: number) => ({ constructor: Unprocessable, message: new RegExp(`create ${number} buckets`) });
  assert.throws(() => timeBuckets({ ...thousand, until: at('2026-11-11T04:40:30.000001Z') }), tooMany(1001));
  assert.throws(() => timeBuckets({ ...noon, until: at('2026-11-11T06:00:30.000000Z') }), tooMany(1080));
});

test('the future counts towards the limit of buckets', () => {
  const ahead = { ...asked, unit: 'minute', since: at('2026-11-20T09:00:00.000000Z') } as const;
  assert.equal(timeBuckets({ ...ahead, until: at('2026-11-20T20:00:00.000000Z') }).starts.length, 61);
  assert.throws(() => timeBuckets({ ...ahead, until: at('2026-11-21T09:00:00.000000Z') }), /create 1440 buckets/);
});

test('an interval of any size gets a readable error', () => {
  for (const interval of [1e12, 1e300]) {
    assert.throws(() => timeBuckets({ ...asked, unit: 'week', interval }), Unprocessable);
  }
});
