import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setPreference } from '../preferences/preferences.ts';
import { absoluteTime, clockTime, duration, preciseClockTime, relativeTime, tickTime } from './time.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('times', () => {
  before(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });

  test('are those of the viewer, in winter and in summer', () => {
    assert.equal(absoluteTime('2026-11-22T13:03:07.500Z'), '2026-11-22 14:03:07 CET');
    assert.equal(absoluteTime('2026-07-01T12:03:07Z'), '2026-07-01 14:03:07 CEST');
    assert.equal(clockTime('2026-11-22T23:30:00Z'), '00:30:00');
  });

  test('say which of two equal hours they are in when the clocks go back', () => {
    assert.equal(absoluteTime('2026-10-25T00:30:00Z'), '2026-10-25 02:30:00 CEST');
    assert.equal(absoluteTime('2026-10-25T01:30:00Z'), '2026-10-25 02:30:00 CET');
  });

  test('are those of UTC for a person who has chosen it', () => {
    setPreference('zone', 'utc');
    assert.equal(absoluteTime('2026-07-01T12:03:07Z'), '2026-07-01 12:03:07 UTC');
    assert.equal(clockTime(Date.parse('2026-11-22T23:30:00Z')), '23:30:00');
    setPreference('zone', 'local');
    assert.equal(clockTime(Date.parse('2026-11-22T23:30:00Z')), '00:30:00');
  });

  test('of log lines have milliseconds', () => {
    assert.equal(preciseClockTime('2026-11-22T13:03:07.005Z'), '14:03:07.005');
    assert.equal(preciseClockTime('1969-12-31T23:59:59.999Z'), '00:59:59.999');
  });

  test('on an axis are as exact as its span needs', () => {
    const time = Date.parse('2026-11-22T13:03:07Z');
    assert.equal(tickTime(time, MINUTE), '14:03:07');
    assert.equal(tickTime(time, HOUR), '14:03');
    assert.equal(tickTime(time, 2 * DAY), 'Sun 14:03');
    assert.equal(tickTime(time, 30 * DAY), '22 Nov');
  });
});

test('a time is as far away as a person would say', () => {
  const words = (milliseconds: number) => relativeTime(milliseconds, 0);
  assert.equal(words(0), 'now');
  assert.equal(words(-1999), 'now');
  assert.equal(words(-12 * SECOND), '12 s ago');
  assert.equal(words(12 * SECOND), 'in 12 s');
  assert.equal(words(-89 * SECOND), '89 s ago');
  assert.equal(words(-90 * SECOND), '2 min ago');
  assert.equal(words(-89 * MINUTE), '89 min ago');
  assert.equal(words(3 * HOUR), 'in 3 h');
  assert.equal(words(-35 * HOUR), '35 h ago');
  assert.equal(words(-36 * HOUR), '2 d ago');
  assert.equal(words(-400 * DAY), '400 d ago');
});

test('a duration has two units at most', () => {
  const words: readonly (readonly [number, string])[] = [
    [0, '0 s'],
    [0.31, '0.31 s'],
    [0.999, '1.0 s'],
    [1, '1.0 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [12.4, '12 s'],
    [59.4, '59 s'],
    [59.7, '1 min'],
    [60, '1 min'],
    [119.6, '2 min'],
    [3599.6, '1 h'],
    [200, '3 min 20 s'],
    [3600, '1 h'],
    [3605, '1 h'],
    [7500, '2 h 5 min'],
    [86_400, '1 d'],
    [86_460, '1 d'],
    [356_400, '4 d 3 h'],
    [40_000_000, '462 d 23 h'],
  ];
  for (const [seconds, text] of words) assert.equal(duration(seconds), text);
});

test('a duration that is none is a dash', () => {
  for (const seconds of [-1, Number.NaN, Number.POSITIVE_INFINITY]) assert.equal(duration(seconds), '–');
});
