import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { clockTime, tickTime } from '../../design/time.ts';
import { setPreference } from '../../preferences/preferences.ts';
import { ticksOf } from './ticks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('the marks of an axis', () => {
  before(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });

  const labels = (from: string, span: number, most: number) =>
    ticksOf(Date.parse(from), span, most).map((tick) => tickTime(tick, span));

  test('are whole hours and minutes', () => {
    assert.deepEqual(labels('2026-11-22T12:07:31Z', HOUR, 6), ['13:15', '13:30', '13:45', '14:00']);
    assert.deepEqual(labels('2026-11-22T12:00:00Z', MINUTE, 4), ['13:00:00', '13:00:15', '13:00:30', '13:00:45']);
  });

  test('of a day are whole hours of the viewer, and of a week its days', () => {
    assert.deepEqual(labels('2026-11-22T12:30:00Z', DAY, 4), ['18:00', '00:00', '06:00', '12:00']);
    assert.deepEqual(labels('2026-11-22T12:30:00Z', 7 * DAY, 7), [
      '23 Nov',
      '24 Nov',
      '25 Nov',
      '26 Nov',
      '27 Nov',
      '28 Nov',
      '29 Nov',
    ]);
  });

  test('never name a day twice, however much room there is', () => {
    const days = labels('2026-11-22T12:30:00Z', 4 * DAY, 100);
    assert.deepEqual(days, ['23 Nov', '24 Nov', '25 Nov', '26 Nov']);
  });

  test('of days are at midnight before and after the clocks change', () => {
    for (const [from, days] of [
      ['2026-10-22T12:00:00Z', ['23 Oct', '24 Oct', '25 Oct', '26 Oct', '27 Oct']],
      ['2026-03-26T12:00:00Z', ['27 Mar', '28 Mar', '29 Mar', '30 Mar', '31 Mar']],
    ] as const) {
      const ticks = ticksOf(Date.parse(from), 5 * DAY, 7);
      assert.deepEqual(
        ticks.map((tick) => tickTime(tick, 5 * DAY)),
        days,
      );
      for (const tick of ticks) assert.equal(clockTime(tick), '00:00:00');
    }
  });

  test('are whole hours of UTC for a person who has chosen it', () => {
    setPreference('zone', 'utc');
    assert.deepEqual(labels('2026-11-22T12:30:00Z', DAY, 4), ['18:00', '00:00', '06:00', '12:00']);
    assert.equal(
      new Date(ticksOf(Date.parse('2026-11-22T12:30:00Z'), DAY, 4)[1] ?? 0).toISOString(),
      '2026-11-23T00:00:00.000Z',
    );
    setPreference('zone', 'local');
  });

  test('are not more than there is room for', () => {
    for (const most of [1, 2, 5, 20]) {
      for (const span of [MINUTE, HOUR, DAY, 30 * DAY]) {
        assert.ok(ticksOf(Date.parse('2026-11-22T12:07:31Z'), span, most).length <= most + 1, `${most} in ${span}`);
      }
    }
  });
});
