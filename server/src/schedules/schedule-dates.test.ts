import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { jsonTextOf } from '../values/json.ts';
import type { Timestamp } from '../values/time.ts';
import { pythonText, scheduleDates } from './schedule-dates.ts';
import { ScheduleTooCostly, WorkBudget } from './work-budget.ts';

const NEW_YORK = 'America/New_York';

function dates(schedule: object, start: string, count: number, end = '2040-01-01T00:00:00.000000Z'): string[] {
  const found = scheduleDates(jsonTextOf(schedule), start as Timestamp, end as Timestamp, new WorkBudget(50_000));
  return found.take(count).map(pythonText).toArray();
}

describe('dates of a schedule', () => {
  test('a cron time that a clock change skips is moved on, and a repeated one fires the first time', () => {
    assert.deepEqual(
      dates({ cron: '30 2 * * *', timezone: NEW_YORK, day_or: true }, '2026-03-07T12:00:00.000000Z', 2),
      ['2026-03-08 03:30:00-04:00', '2026-03-09 02:30:00-04:00'],
    );
    assert.deepEqual(
      dates({ cron: '30 1 * * *', timezone: NEW_YORK, day_or: true }, '2026-11-01T04:00:00.000000Z', 2),
      ['2026-11-01 01:30:00-04:00', '2026-11-02 01:30:00-05:00'],
    );
  });

  test('a start within the hour of a clock change has the cron times that were moved into it, and none before it', () => {
    const cron = (text: string, timezone: string) => ({ cron: text, timezone, day_or: true });
    const hobart = dates(cron('30 2 * * *', 'Australia/Hobart'), '2027-10-02T16:15:00.000000Z', 2);
    assert.deepEqual(hobart, ['2027-10-03 03:30:00+11:00', '2027-10-04 02:30:00+11:00']);
    const berlin = '2027-10-31T01:10:00.000000Z';
    assert.deepEqual(dates(cron('30 2 * * *', 'Europe/Berlin'), berlin, 1), ['2027-11-01 02:30:00+01:00']);
    assert.deepEqual(dates(cron('*/15 * * * *', 'Europe/Berlin'), berlin, 2), [
      '2027-10-31 03:00:00+01:00',
      '2027-10-31 03:15:00+01:00',
    ]);
  });

  test('an interval of whole days keeps its local time, whichever side of a clock change its anchor is on', () => {
    const daily = (anchor_date: string, timezone: string, interval = 86_400) => ({ interval, anchor_date, timezone });
    assert.deepEqual(dates(daily('2024-02-13T23:30:00Z', 'America/Sitka'), '2027-11-05T21:30:00.000000Z', 1), [
      '2027-11-05 14:30:00-08:00',
    ]);
    assert.deepEqual(dates(daily('2027-04-05T00:30:00Z', 'Europe/Berlin'), '2027-03-27T00:00:00.000000Z', 3), [
      '2027-03-27 02:30:00+01:00',
      '2027-03-28 03:30:00+02:00',
      '2027-03-29 02:30:00+02:00',
    ]);
    // A clock that a change of the time moves on stays there.
    assert.deepEqual(dates(daily('2027-03-27T01:30:00Z', 'Europe/Berlin'), '2027-03-27T00:00:00.000000Z', 3), [
      '2027-03-27 02:30:00+01:00',
      '2027-03-28 03:30:00+02:00',
      '2027-03-29 03:30:00+02:00',
    ]);
    assert.deepEqual(
      dates(daily('2029-06-25T00:30:00Z', 'America/Santiago', 129_600), '2029-04-08T15:30:00.000000Z', 1),
      ['2029-04-09 09:30:00-04:00'],
    );
  });

  test('an old anchor costs little, also at the edge of the calendar', () => {
    const old = { interval: 86_400, anchor_date: '0001-01-01T00:00:00Z', timezone: NEW_YORK };
    assert.equal(dates(old, '2027-01-01T00:00:00.000000Z', 2).length, 2);
    assert.equal(dates({ ...old, anchor_date: '9999-12-30T00:00:00Z' }, '0001-01-02T00:00:00.000000Z', 2).length, 2);
  });

  test('a recurrence keeps the wall clock; a skipped time fires an hour early', () => {
    const daily = { rrule: 'DTSTART:20200101T023000\nRRULE:FREQ=DAILY', timezone: NEW_YORK };
    assert.deepEqual(dates(daily, '2026-03-07T05:00:00.000000Z', 3), [
      '2026-03-07 02:30:00-05:00',
      '2026-03-08 01:30:00-05:00',
      '2026-03-09 02:30:00-04:00',
    ]);
  });

  // Sources: RFC 5545, 3.8.5.3; for Easter, which it does not have, the documentation of dateutil.
  for (const [rule, begin, expected] of [
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '19970512', ['1997-05-12', '1998-05-11', '1999-05-17']],
    ['FREQ=YEARLY;BYDAY=20MO', '19970519', ['1997-05-19', '1998-05-18', '1999-05-17']],
    [
      'FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200',
      '19970101',
      ['1997-01-01', '1997-04-10', '1997-07-19', '2000-01-01'],
    ],
    ['FREQ=YEARLY;BYEASTER=0', '19970902', ['1998-04-12', '1999-04-04', '2000-04-23']],
    ['FREQ=MONTHLY;BYMONTHDAY=-3', '19970928', ['1997-09-28', '1997-10-29', '1997-11-28']],
  ] as const) {
    test(`${rule} names the days that its standard says`, () => {
      const schedule = { rrule: `DTSTART:${begin}T090000\nRRULE:${rule}`, timezone: NEW_YORK };
      const found = dates(schedule, '1997-01-01T00:00:00.000000Z', expected.length);
      assert.deepEqual(
        found.map((text) => text.slice(0, 10)),
        expected,
      );
    });
  }

  test('an interval adds whole days on the wall clock and the rest in absolute time', () => {
    const anchor_date = '2026-10-01T09:00:00-04:00';
    const start = '2026-10-31T12:00:00.000000Z';
    assert.deepEqual(dates({ interval: 86_400, anchor_date, timezone: NEW_YORK }, start, 2), [
      '2026-10-31 09:00:00-04:00',
      '2026-11-01 09:00:00-05:00',
    ]);
    assert.deepEqual(dates({ interval: 43_200, anchor_date, timezone: NEW_YORK }, start, 3), [
      '2026-10-31 09:00:00-04:00',
      '2026-10-31 21:00:00-04:00',
      '2026-11-01 08:00:00-05:00',
    ]);
  });

  test('both ends are included, and a start within a second is rounded up', () => {
    const minutely = { cron: '* * * * *', timezone: null, day_or: true };
    assert.deepEqual(dates(minutely, '2026-01-01T00:00:00.000000Z', 9, '2026-01-01T00:02:00.000000Z'), [
      '2026-01-01 00:00:00+00:00',
      '2026-01-01 00:01:00+00:00',
      '2026-01-01 00:02:00+00:00',
    ]);
    assert.deepEqual(dates(minutely, '2026-01-01T00:00:00.000001Z', 1), ['2026-01-01 00:01:00+00:00']);
  });

  test('a schedule gives at most 1002 dates at once', () => {
    assert.equal(
      dates({ interval: 1, anchor_date: '2020-01-01T00:00:00Z' }, '2026-01-01T00:00:00.000000Z', 5000).length,
      1002,
    );
  });

  test('a schedule that can never fire has no dates, and one that costs too much is stopped', () => {
    const start = '2026-01-01T00:00:00.000000Z';
    const year = '2027-01-01T00:00:00.000000Z';
    assert.deepEqual(dates({ cron: '0 0 30 2 *', timezone: null, day_or: true }, start, 1), []);
    assert.deepEqual(dates({ rrule: 'DTSTART:20200101T000000\nRRULE:FREQ=SECONDLY;BYMONTH=13' }, start, 1, year), []);
    const bomb = 'DTSTART:19700101T000000\nRRULE:FREQ=SECONDLY;BYSECOND=1;COUNT=2000000000';
    assert.throws(() => dates({ rrule: bomb }, start, 1, year), ScheduleTooCostly);
    // A rule that only counts is not walked.
    const counted = 'DTSTART:20200101T000000\nRRULE:FREQ=SECONDLY;COUNT=2000000000';
    assert.deepEqual(dates({ rrule: counted }, start, 1, year), ['2026-01-01 00:00:00+00:00']);
  });
});
