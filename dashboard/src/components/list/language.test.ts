import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Field, problemOf, whereOf } from './fields.ts';
import { conditionsIn, parseFilter, searchFor, writeFilter } from './language.ts';

const fields: readonly Field[] = [
  { name: 'state', title: 'State', kind: 'state' },
  { name: 'flow', title: 'Flow', kind: 'text' },
  { name: 'work_pool', title: 'Work pool', kind: 'text', aliases: ['pool'] },
  { name: 'tag', title: 'Tag', kind: 'text' },
  { name: 'tries', title: 'Tries', kind: 'number' },
  { name: 'duration', title: 'Duration', kind: 'duration' },
  {
    name: 'subflow',
    title: 'Subflows',
    kind: 'choice',
    choices: [
      ['yes', 'Only subflows'],
      ['no', 'Hidden'],
    ],
  },
];
const conditions = (typed: string) => parseFilter(typed, fields).conditions;
const sent = (typed: string) => whereOf(conditions(typed), fields);

describe('a typed filter', () => {
  test('has conditions, a time and words', () => {
    assert.deepEqual(parseFilter('state:failed flow:etl -tag:prod since:2d quick fox', fields), {
      conditions: [
        { field: 'state', values: ['failed'] },
        { field: 'flow', values: ['etl'] },
        { field: 'tag', not: true, values: ['prod'] },
      ],
      span: '2d',
      text: 'quick fox',
      problems: [],
    });
  });

  test('is read in any case, by other words for a field, and with quotes', () => {
    assert.deepEqual(sent('STATE:Failed,LATE Pool:gpu "Work-Pool":x work_pool:"a, \\"b\\""'), [
      { field: 'state', values: ['failed', 'late'] },
      { field: 'work_pool', values: ['gpu', 'a, "b"'] },
    ]);
    assert.deepEqual(sent('state:"timed out" state:AWAITINGRETRY state:Mine'), [
      { field: 'state', values: ['TimedOut', 'AwaitingRetry', 'Mine'] },
    ]);
  });

  test('takes values of one field as alternatives, and those with a sign apart', () => {
    assert.deepEqual(conditions('tag:a,!b tag:a,c -tag:d'), [
      { field: 'tag', values: ['a', 'c'] },
      { field: 'tag', not: true, values: ['b', 'd'] },
    ]);
  });

  test('compares numbers and durations, which are sent in seconds', () => {
    assert.deepEqual(sent('tries:>1 tries<=3 duration:>1h30m duration:<90 duration:=2min'), [
      { field: 'tries', values: ['>1', '<=3'] },
      { field: 'duration', values: ['>5400', '<90', '120'] },
    ]);
  });

  test('offers the nearest field for one that does not exist', () => {
    assert.deepEqual(parseFilter('flw:etl -stat:failed zebra:1', fields).problems, [
      { part: 'flw:etl', message: 'There is no field “flw”.', nearest: 'flow:etl' },
      { part: '-stat:failed', message: 'There is no field “stat”.', nearest: '-state:failed' },
      { part: 'zebra:1', message: 'There is no field “zebra”.' },
    ]);
  });

  test('says what a field takes when a value is wrong', () => {
    const messages = parseFilter('tries:many duration:5x subflow:maybe since:soon', fields).problems;
    assert.deepEqual(
      messages.map(({ message }) => message),
      [
        'Tries takes a number such as 3, >1 or <=5, not “many”.',
        'Duration takes a time such as 30s, >5m or <2h, not “5x”.',
        'Subflows takes yes or no, not “maybe”.',
        'since takes a time such as 2d, 3h or 2026-11-22, not “soon”.',
      ],
    );
  });

  test('takes times from and until', () => {
    assert.equal(
      parseFilter('since:2026-11-20T00:00:00Z until:2026-11-21T00:00:00Z', fields).span,
      '2026-11-20T00:00:00.000Z/2026-11-21T00:00:00.000Z',
    );
    assert.equal(parseFilter('since:2D', fields).span, '2d');
    assert.equal(parseFilter('since:2d until:1d', fields).span, '2d/1d');
    assert.equal(parseFilter('since:2026-11-20', fields).span, '2026-11-20T00:00:00.000Z/now');
    assert.equal(
      parseFilter('until:2026-11-21T00:00:00Z', fields).span,
      '2026-11-20T00:00:00.000Z/2026-11-21T00:00:00.000Z',
    );
  });

  test('comes back as it was written', () => {
    const typed = 'flow:"a, b",etl -tag:"-x","say \\"hi\\"" tries:>1';
    assert.equal(writeFilter(conditions(typed)), typed);
  });
});

describe('an address', () => {
  test('holds each field with its values, and comes back', () => {
    const search = { state: 'FAILED,late', flow: 'etl', tag: 'a b,!prod,!"x, y"', tries: '>1', other: 'kept' };
    const read = conditionsIn(search, fields);
    assert.deepEqual(read, [
      { field: 'state', values: ['FAILED', 'late'] },
      { field: 'flow', values: ['etl'] },
      { field: 'tag', values: ['a b'] },
      { field: 'tag', not: true, values: ['prod', 'x, y'] },
      { field: 'tries', values: ['>1'] },
    ]);
    const { other: _, ...own } = search;
    assert.deepEqual(
      Object.fromEntries(Object.entries(searchFor(read, fields)).filter(([, value]) => value !== undefined)),
      own,
    );
  });

  test('with a wrong value asks for nothing wrong', () => {
    const read = conditionsIn({ tries: 'abc,>2', duration: 'x', subflow: 'NO' }, fields);
    assert.deepEqual(whereOf(read, fields), [
      { field: 'tries', values: ['>2'] },
      { field: 'subflow', values: ['no'] },
    ]);
    assert.match(problemOf(fields[4] as Field, 'abc') ?? '', /takes a number/);
  });
});
