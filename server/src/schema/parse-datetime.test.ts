import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateTimeFromNumber, parseDateTime } from './parse-datetime.ts';

const expectAll = (pairs: readonly (readonly [string, string | undefined])[]) => {
  for (const [text, timestamp] of pairs) assert.equal(parseDateTime(text), timestamp, text);
};

test('a time with any offset becomes UTC', () => {
  expectAll([
    ['2026-11-20T15:59:20.431760Z', '2026-11-20T15:59:20.431760Z'],
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000000Z'],
    ['2020-01-01T00:00:00+00:00', '2020-01-01T00:00:00.000000Z'],
    ['2020-01-01T00:00:00.12+02:00', '2019-12-31T22:00:00.120000Z'],
    ['2020-01-01T00:00+0200', '2019-12-31T22:00:00.000000Z'],
    ['2020-01-01T00:00:00-23:59', '2020-01-01T23:59:00.000000Z'],
    ['2020-01-01t10:00:00\u221202:00', '2020-01-01T12:00:00.000000Z'],
  ]);
});

test('a time without an offset is UTC, a date alone is midnight', () => {
  expectAll([
    ['2020-01-01', '2020-01-01T00:00:00.000000Z'],
    ['2020-01-01 10:30', '2020-01-01T10:30:00.000000Z'],
    ['2020-01-01_10:30:15,5', '2020-01-01T10:30:15.500000Z'],
    ['2020-05', '2020-05-01T00:00:00.000000Z'],
    ['2020-366', '2020-12-31T00:00:00.000000Z'],
    ['2020-W53-7', '2021-01-03T00:00:00.000000Z'],
    ['2020W011T1000', '2019-12-30T10:00:00.000000Z'],
    ['20200501T100000.5Z', '2020-05-01T10:00:00.500000Z'],
    ['2020/01/01 10:00', '2020-01-01T10:00:00.000000Z'],
  ]);
});

test('digits beyond microseconds are cut off, in any year', () => {
  expectAll([
    ['2020-01-01T00:00:00.1234569Z', '2020-01-01T00:00:00.123456Z'],
    ['9999-12-31T23:59:59.999999999999Z', '9999-12-31T23:59:59.999999Z'],
  ]);
});

test('a number is read as seconds, a large one as milliseconds', () => {
  assert.equal(dateTimeFromNumber(1_577_836_800), '2020-01-01T00:00:00.000000Z');
  assert.equal(dateTimeFromNumber(1_577_836_800.1234567), '2020-01-01T00:00:00.123457Z');
  assert.equal(dateTimeFromNumber(1_577_836_800_000), '2020-01-01T00:00:00.000000Z');
  assert.equal(dateTimeFromNumber(20_000_000_000), '2603-10-11T11:33:20.000000Z');
  assert.equal(dateTimeFromNumber(-1.5), '1969-12-31T23:59:58.500000Z');
  expectAll([
    ['1577836800.5', '2020-01-01T00:00:00.500000Z'],
    ['2020', '1970-01-01T00:33:40.000000Z'],
    ['20200501', '1970-08-22T19:15:01.000000Z'],
  ]);
});

test('a value that is not a time in the years 0001 to 9999 is refused', () => {
  const refused = [
    '',
    'x',
    'now',
    '10:00',
    'PT1H',
    ' 2020-01-01',
    '2020-01-01 ',
    '2020-13-01',
    '2020-02-30',
    '2019-02-29',
    '2021-366',
    '2021-W53',
    '0000-01-01',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '2020-01-01T24:00',
    '2020-01-01T10:60',
    '2020-01-01T23:59:60Z',
    '2020-01-01T00:00:00+24:00',
    '2020-01-01T00:00:00.Z',
    '2020-01-01T00:00:00Z+01:00',
    '2020-1-1',
    '253402300800000',
    '1e5',
    '２０２０-01-01',
  ];
  for (const text of refused) assert.equal(parseDateTime(text), undefined, text);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1e300])
    assert.equal(dateTimeFromNumber(value), undefined);
});
