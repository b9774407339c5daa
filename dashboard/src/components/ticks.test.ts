import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { tickTime } from '../design/time.ts';
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

  test('are not more than there is room for', () => {
    for (const most of [1, 2, 5, 20]) {
      for (const span of [MINUTE, HOUR, DAY, 30 * DAY]) {
        assert.ok(ticksOf(Date.parse('2026-11-22T12:07:31Z'), span, most).length <= most + 1, `${most} in ${span}`);
      }
    }
  });
});
