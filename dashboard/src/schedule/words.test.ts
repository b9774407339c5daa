import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scheduleWords, zoneOf } from './words.ts';

const cron = (text: string) => scheduleWords({ cron: text });
const rule = (text: string) => scheduleWords({ rrule: text });

describe('a schedule in words', () => {
  test('says how far apart its times are', () => {
    assert.equal(scheduleWords({ interval: 600 }), 'every 10 min');
    assert.equal(scheduleWords({ interval: 5400 }), 'every 1 h 30 min');
  });

  test('reads a cron text', () => {
    assert.equal(cron('0 3 * * *'), 'at 03:00');
    assert.equal(cron('*/15 * * * *'), 'every 15 minutes');
    assert.equal(cron('0 9 * * 1-5'), 'at 09:00, Monday through Friday');
    assert.equal(cron('30 14 1 * *'), 'at 14:30, on day 1 of the month');
  });

  test('shows a cron text that has no words as it is', () => {
    for (const text of ['nonsense', '', '99 99 * * *', '<script>alert(1)</script>']) assert.equal(cron(text), text);
  });

  test('reads the usual recurrence rules', () => {
    assert.equal(rule('FREQ=DAILY'), 'every day');
    assert.equal(rule('FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0'), 'every week on Monday, Wednesday at 09:00');
    assert.equal(rule('RRULE:FREQ=HOURLY;INTERVAL=6'), 'every 6 hours');
    assert.equal(rule('DTSTART:20260101T000000\nRRULE:FREQ=DAILY;BYHOUR=9,18;BYMINUTE=5'), 'every day at 09:05, 18:05');
    assert.equal(rule('FREQ=DAILY;INTERVAL=2;UNTIL=20261231T000000Z'), 'every 2 days until 20261231');
  });

  test('shows a rule that says more than the words could as it is', () => {
    for (const text of [
      'FREQ=MONTHLY;BYMONTHDAY=1',
      'FREQ=MONTHLY;BYDAY=1MO',
      'FREQ=SECONDLY',
      'FREQ=constructor',
      'FREQ=WEEKLY;BYDAY=constructor',
      'RRULE:FREQ=DAILY\nEXDATE:20260101T000000Z',
      'RRULE:FREQ=DAILY\nEXRULE:FREQ=WEEKLY',
      'RRULE:FREQ=DAILY\nRDATE:20260101T000000Z',
      'RRULE:FREQ=DAILY;BYHOUR=9\nRRULE:FREQ=WEEKLY;BYDAY=MO',
      'FREQ=HOURLY;BYMINUTE=30',
      'FREQ=DAILY;BYHOUR=9;BYMINUTE=0,30',
      'FREQ=DAILY;',
      'INTERVAL=2',
      '',
    ]) {
      assert.equal(rule(text), text);
    }
  });

  test('is in UTC unless it names a zone', () => {
    assert.equal(zoneOf({ cron: '0 3 * * *' }), 'UTC');
    assert.equal(zoneOf({ cron: '0 3 * * *', timezone: null }), 'UTC');
    assert.equal(zoneOf({ cron: '0 3 * * *', timezone: 'Europe/Berlin' }), 'Europe/Berlin');
  });
});
