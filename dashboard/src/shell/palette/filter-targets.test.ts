import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FilteredList, filterTargets } from './filter-targets.ts';

const text = (name: string, title: string, aliases: string[] = []) => ({ name, title, kind: 'text', aliases }) as const;
const lists: readonly FilteredList[] = [
  {
    path: '/runs',
    title: 'Runs',
    fields: {
      text: 'name',
      fields: [
        { name: 'state', title: 'State', kind: 'state' },
        { name: 'tries', title: 'Tries', kind: 'number' },
        text('flow', 'Flow'),
        text('work_pool', 'Work pool', ['pool']),
        text('tag', 'Tag'),
        text('name', 'Name'),
      ],
    },
  },
  { path: '/audit', title: 'Audit entries', fields: { text: 'actor', fields: [text('actor', 'Actor')] } },
];
const paths = (typed: string) => filterTargets(typed, lists).map(({ path }) => path);
const names = (typed: string) => filterTargets(typed, lists).map(({ name }) => name);

describe('a typed filter', () => {
  test('offers the states that begin like the text', () => {
    assert.deepEqual(names('state:ca'), ['Runs with state Cancelling', 'Runs with state Cancelled']);
    assert.deepEqual(paths('State: late'), ['/runs?state=late']);
    assert.deepEqual(paths('state:TimedOut'), ['/runs?state=TimedOut']);
    assert.deepEqual(paths('state:nonsense'), []);
  });

  test('joins its conditions', () => {
    assert.deepEqual(paths('state:FAILED flow:etl -tag:prod since:2d'), [
      '/runs?state=failed&flow=etl&tag=%21prod&span=2d',
    ]);
    assert.deepEqual(names('state:failed pool:gpu -tag:prod since:2d'), [
      'Runs with state Failed, with work pool gpu, without tag prod, since 2d',
    ]);
    assert.deepEqual(paths('state:failed,crashed tries:>1'), ['/runs?state=failed%2Ccrashed&tries=%3E1']);
    assert.deepEqual(paths('state:failed nightly'), ['/runs?state=failed&name=nightly']);
  });

  test('keeps a value with spaces together in quotes, whatever is in it', () => {
    assert.deepEqual(paths('flow:"daily sales" tag:a&b=c'), ['/runs?flow=daily+sales&tag=a%26b%3Dc']);
  });

  test('is also a phrase, and is not disturbed by what is not typed to its end', () => {
    assert.deepEqual(paths('failed runs'), ['/runs?state=failed']);
    assert.deepEqual(paths('Late flow-runs'), ['/runs?state=late']);
    assert.deepEqual(paths('state:failed flow'), ['/runs?state=failed']);
    assert.deepEqual(paths('state:failed flow:'), ['/runs?state=failed']);
  });

  test('goes to the first list that has its fields', () => {
    assert.deepEqual(paths('actor:ada'), ['/audit?actor=ada']);
    assert.deepEqual(paths('actor:ada flow:etl'), []);
  });

  test('leaves other texts to other entries', () => {
    for (const typed of ['', 'runs', 'tag:', 'failed-import', 'failed import', 'https://example.org', '(', 'tries:x']) {
      assert.deepEqual(paths(typed), [], typed);
    }
  });
});
