import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationFromNumber, parseDuration } from './parse-duration.ts';

test('durations are read in all their spellings', () => {
  const spans: readonly (readonly [string, number])[] = [
    ['PT1H', 3600],
    ['P1DT1H1M1.5S', 90_061.5],
    ['P1W', 604_800],
    ['P1Y', 31_536_000],
    ['P1M', 2_592_000],
    ['PT0.5H', 1800],
    ['-PT1H', -3600],
    ['1:00:00', 3600],
    ['01:30', 5400],
    ['100:00:00', 360_000],
    ['00:00:00.1234569', 0.123456],
    ['1 day, 1:00:00', 90_000],
    ['2 days', 172_800],
    ['1d', 86_400],
    ['1 day 2:00:00', 93_600],
    [':12:30', 750],
  ];
  for (const [text, seconds] of spans) assert.equal(parseDuration(text), seconds, text);
});

test('a value that is not a duration is refused', () => {
  for (const text of ['', 'x', 'PT', 'P', '5', '1.5', 'pt1h', 'PT1.5H1M', '1:00', '1 00:00:00', '1 day, 25:00']) {
    assert.equal(typeof parseDuration(text), 'object', text);
  }
  assert.equal(typeof durationFromNumber(Number.NaN), 'object');
  assert.equal(typeof durationFromNumber(1e20), 'object');
});

test('an invalid time gets a specific error', () => {
  const faults: readonly (readonly [string, string])[] = [
    ['2026-01-02', 'invalid character in hour'],
    ['2026-01-02T03:04:05Z', 'durations may not exceed 999,999,999 hours'],
    ['12:60', 'minute value is outside expected range of 0-59'],
    ['12:0x', 'invalid character in minute'],
    ['12:30:60', 'second value is outside expected range of 0-59'],
    ['12:30:6', 'invalid character in second'],
    ['12:30:05.', 'second fraction digits missing after `.`'],
    ['12:30x', 'unexpected extra characters at the end of the input'],
    ['1 day, 1:00', 'input is too short'],
    ['1:2', '"day" identifier in duration not correctly formatted'],
  ];
  for (const [text, error] of faults) assert.deepEqual(parseDuration(text), { error }, text);
});

test('a number of seconds is read to the microsecond', () => {
  assert.equal(durationFromNumber(1.23456789), 1.234568);
  assert.equal(Object.is(durationFromNumber(-1e-9), 0), true);
});
