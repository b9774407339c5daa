import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRecurrence, recurrenceFault, withStart } from './recurrence.ts';

// The reference server 3.9.1 accepts or refuses each of these.
const taken = [
  'FREQ=DAILY',
  'rrule:freq=daily;byday=mo',
  'RRULE:FREQ=DAILY RRULE:FREQ=WEEKLY',
  'DTSTART:2024-01-01T00:00:00\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1,-1\nEXDATE:20270101T090000Z',
  'DTSTART;TZID=Europe/Berlin:20240101T070000\nRRULE:FREQ=DAILY;UNTIL=20300101T000000Z',
  'DTSTART;VALUE=DATE:20240101\r\nFREQ=DAILY',
  'RDATE:20240101T000000,20240102T000000',
  'EXRULE:FREQ=DAILY',
  'FREQ=MONTHLY;BYDAY=+1MO,-1FR,TU(2)',
  'FREQ=DAILY;COUNT=-1;BYHOUR=+1,1_0',
  'FREQ=DAILY;BYMONTH=13;BYMONTHDAY=0',
  'FREQ=HOURLY;BYHOUR=24',
];
const refused: Readonly<Record<string, string>> = {
  '': 'empty string',
  RDATE: 'not enough values to unpack (expected 2, got 1)',
  'FREQ=DAILY;': 'not enough values to unpack (expected 2, got 1)',
  'RRULE:FREQ=DAILY:X': 'too many values to unpack (expected 2)',
  'FREQ=DAILY=X': 'too many values to unpack (expected 2)',
  'FREQ=nope': "invalid 'FREQ': NOPE",
  'FREQ=DAILY;COUNT=1.0': "invalid 'COUNT': 1.0",
  'FREQ=DAILY;UNTIL=20240230': "invalid 'UNTIL': 20240230",
  'FREQ=DAILY;BYDAY=0MO': "invalid 'BYDAY': 0MO",
  'FREQ=DAILY;BYHOUR= 1': "invalid 'BYHOUR': ",
  'FREQ=WEEKLY;WKST=0': "invalid 'WKST': 0",
  'FREQ=DAILY;FOO=1': "unknown parameter 'FOO'",
  'FREQ=DAILY;BYHOUR=24': 'hour must be in 0..23',
  'FREQ=DAILY;BYMINUTE=60': 'minute must be in 0..59',
  'FREQ=YEARLY;BYSETPOS=0': 'bysetpos must be between 1 and 366, or between -366 and -1',
  'FREQ=MINUTELY;INTERVAL=60;BYMINUTE=1': 'Invalid rrule byxxx generates an empty set.',
  'RRULE;X=1:FREQ=DAILY': 'unsupported RRULE parm: X=1',
  'RDATE;VALUE=DATE:20240101': 'unsupported RDATE parm: VALUE=DATE',
  'DTSTART;FOO=1:20240101T000000\nFREQ=DAILY': 'unsupported parm: FOO=1',
  'BEGIN:VEVENT': 'unsupported property: BEGIN',
  'DTSTART:x\nFREQ=DAILY': 'Unknown string format: X',
  'DTSTART:\nFREQ=DAILY': 'String does not contain a date: ',
  'DTSTART:20241301T000000\nFREQ=DAILY': 'month must be in 1..12: 20241301T000000',
  'DTSTART:20240230T000000\nFREQ=DAILY': 'day is out of range for month: 20240230T000000',
  'DTSTART:20240101T250000\nFREQ=DAILY': 'hour must be in 0..23: 20240101T250000',
  'DTSTART:20240101,20250101\nFREQ=DAILY': 'Multiple DTSTART values specified:20240101,20250101',
  'DTSTART;TZID=Europe/Berlin:20240101T000000Z\nFREQ=DAILY': 'DTSTART/EXDATE specifies multiple timezone',
  'DTSTART:20240101T000000\nFREQ=DAILY;UNTIL=20300101T000000Z':
    'RRULE UNTIL values must be specified in UTC when DTSTART is timezone-aware',
};

describe('recurrence texts', () => {
  for (const text of taken) {
    test(`${JSON.stringify(text)} is accepted`, () => assert.equal(recurrenceFault(text), undefined));
  }

  for (const [text, reason] of Object.entries(refused)) {
    test(`${JSON.stringify(text)} is refused: ${reason}`, () => {
      assert.equal(recurrenceFault(text), `Invalid RRule string "${text}": ${reason}`);
    });
  }

  test('a rule that would stop or block a scheduler is refused', () => {
    assert.match(recurrenceFault('FREQ=DAILY;INTERVAL=0') ?? '', /INTERVAL must be positive$/);
    assert.match(recurrenceFault('INTERVAL=2') ?? '', /FREQ is missing$/);
    assert.match(recurrenceFault('DTSTART:20240101T000000') ?? '', /no rule and no date$/);
  });

  test('a text of more than 6500 characters is refused', () => {
    assert.equal(recurrenceFault(`FREQ=DAILY${' '.repeat(6490)}`), undefined);
    assert.equal(
      recurrenceFault(`FREQ=DAILY${' '.repeat(6491)}`),
      `Invalid RRule string "FREQ=DAILY${' '.repeat(30)}..."\nMax length is 6500, got 6501`,
    );
  });

  test('a series without a beginning gets one', () => {
    const now = Temporal.PlainDateTime.from('2026-11-20T19:43:55');
    assert.equal(withStart('FREQ=DAILY', now), 'DTSTART:20200101T000000\nFREQ=DAILY');
    assert.equal(withStart('FREQ=MINUTELY;COUNT=3', now), 'DTSTART:20200101T000000\nFREQ=MINUTELY;COUNT=3');
    const withDates = 'RRULE:FREQ=MINUTELY\nEXDATE:20240101T000000';
    assert.equal(withStart(withDates, now), `DTSTART:20200101T000000\n${withDates}`);
  });

  test('a series with an interval of minutes begins shortly before now, in step with the others', () => {
    const now = Temporal.PlainDateTime.from('2026-11-20T19:43:55');
    assert.equal(withStart('freq=minutely', now), 'DTSTART:20261120T194300\nfreq=minutely');
    assert.equal(withStart('FREQ=MINUTELY;INTERVAL=45', now), 'DTSTART:20261120T193000\nFREQ=MINUTELY;INTERVAL=45');
    assert.equal(withStart('FREQ=SECONDLY;INTERVAL=30', now), 'DTSTART:20261120T194330\nFREQ=SECONDLY;INTERVAL=30');
    assert.equal(
      withStart('FREQ=MINUTELY;INTERVAL=100000', now),
      'DTSTART:20261105T000000\nFREQ=MINUTELY;INTERVAL=100000',
    );
  });

  test('a series with a beginning, or an end in UTC, is unchanged', () => {
    const now = Temporal.PlainDateTime.from('2026-11-20T19:43:55');
    for (const text of ['dtstart:20240101T000000\nFREQ=DAILY', 'FREQ=DAILY;UNTIL=20300101T000000Z']) {
      assert.equal(withStart(text, now), text);
    }
  });

  test('rules and dates are read', () => {
    const { start, rules, dates, excludedDates } = parseRecurrence(
      'DTSTART;TZID=Europe/Berlin:20240101T093000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,-1FR;WKST=SU\nRDATE:20240105T000000Z\nEXDATE:20240108',
    );
    assert.equal(start?.clock.toString(), '2024-01-01T09:30:00');
    assert.equal(start?.zone, 'EUROPE/BERLIN');
    const [rule] = rules;
    assert.equal(rule?.frequency, 'WEEKLY');
    assert.equal(rule?.interval, 2);
    assert.equal(rule?.weekStart, 6);
    assert.deepEqual(rule?.weekdays, [
      { weekday: 0, nth: undefined },
      { weekday: 4, nth: -1 },
    ]);
    assert.deepEqual(
      [dates, excludedDates].map(([time]) => time?.clock.toString()),
      ['2024-01-05T00:00:00', '2024-01-08T00:00:00'],
    );
  });
});
