import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysFrom } from './days.ts';

const HOUR = 3_600_000;
const hours = (now: string, count: number, zone: string) =>
  daysFrom(Date.parse(now), count, zone).map(({ start, end }) => (end - start) / HOUR);
const starts = (now: string, count: number, zone: string) =>
  daysFrom(Date.parse(now), count, zone).map(({ start }) => new Date(start).toISOString());

test('a week begins at midnight of the day that it is now, in the zone', () => {
  const days = daysFrom(Date.parse('2026-11-22T23:30:00Z'), 7, 'Europe/Berlin');
  assert.deepEqual(
    days.map(({ title }) => title.replace(',', '')),
    ['Mon 23 Nov', 'Tue 24 Nov', 'Wed 25 Nov', 'Thu 26 Nov', 'Fri 27 Nov', 'Sat 28 Nov', 'Sun 29 Nov'],
  );
  assert.equal(new Date(days[0]?.start ?? 0).toISOString(), '2026-11-22T23:00:00.000Z');
});

test('each day begins where the one before it ends', () => {
  const days = daysFrom(Date.parse('2026-03-25T12:00:00Z'), 14, 'America/New_York');
  for (const [index, { start }] of days.slice(1).entries()) assert.equal(start, days[index]?.end);
});

test('the day on which the clocks go forward has 23 hours, and the one on which they go back 25', () => {
  assert.deepEqual(hours('2026-03-28T12:00:00Z', 3, 'Europe/Berlin'), [24, 23, 24]);
  assert.deepEqual(hours('2026-10-24T12:00:00Z', 3, 'Europe/Berlin'), [24, 25, 24]);
  assert.deepEqual(hours('2026-03-29T22:30:00+02:00', 2, 'Europe/Berlin'), [23, 24]);
  assert.deepEqual(hours('2026-10-25T23:30:00+01:00', 2, 'Europe/Berlin'), [25, 24]);
});

test('a change of half an hour counts', () => {
  assert.deepEqual(hours('2026-04-04T12:00:00+11:00', 3, 'Australia/Lord_Howe'), [24, 24.5, 24]);
});

test('a day whose midnight does not exist begins with its first hour', () => {
  assert.deepEqual(starts('2026-04-23T12:00:00+02:00', 3, 'Africa/Cairo'), [
    '2026-04-22T22:00:00.000Z',
    '2026-04-23T22:00:00.000Z',
    '2026-04-24T21:00:00.000Z',
  ]);
  assert.deepEqual(starts('2026-04-24T12:00:00+03:00', 1, 'Africa/Cairo'), ['2026-04-23T22:00:00.000Z']);
});

test('a day that a country left out is not there', () => {
  const days = daysFrom(Date.parse('2011-12-29T12:00:00-10:00'), 2, 'Pacific/Apia');
  assert.deepEqual(
    days.map(({ title }) => title.replace(',', '')),
    ['Thu 29 Dec', 'Sat 31 Dec'],
  );
});

test('zones of UTC, of quarter hours and far from UTC have whole days', () => {
  assert.deepEqual(starts('2026-11-22T12:00:00Z', 1, 'UTC'), ['2026-11-22T00:00:00.000Z']);
  assert.deepEqual(starts('2026-11-22T12:00:00Z', 1, 'Asia/Kathmandu'), ['2026-11-21T18:15:00.000Z']);
  assert.deepEqual(starts('2026-11-22T12:00:00Z', 1, 'Pacific/Kiritimati'), ['2026-11-22T10:00:00.000Z']);
});

test('no days are none', () => {
  assert.deepEqual(daysFrom(0, 0, 'UTC'), []);
});
