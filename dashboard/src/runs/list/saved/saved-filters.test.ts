import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savedSearch } from '../../../../test/factories.ts';
import { filtersOf, isOfRuns, searchOf } from './saved-filters.ts';

const given = (search: object) => Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

test('a saved view opens with the filters that it was saved with', () => {
  const search = { state: 'FAILED,CRASHED', span: '7d', tag: 'a,b', name: 'x "y"', sort: '-duration' };
  const view = savedSearch({ filters: filtersOf(search) });
  assert.deepEqual(given(searchOf(view)), search);
});

test('a view of all runs can be saved, and opens without filters', () => {
  const view = savedSearch({ filters: filtersOf({}) });
  assert.equal(isOfRuns(view), true);
  assert.deepEqual(given(searchOf(view)), {});
});

test('views and filters of other interfaces are left alone', () => {
  const other = { object: 'flow_run', property: 'state', type: 'string', operation: 'equals', value: 'FAILED' };
  assert.equal(isOfRuns(savedSearch({ filters: [other] })), false);
  assert.equal(isOfRuns(savedSearch({ filters: undefined })), false);
  const mixed = savedSearch({ filters: [other, ...filtersOf({ tag: 'prod' })] });
  assert.deepEqual(given(searchOf(mixed)), { tag: 'prod' });
});

test('a filter whose value is no text, or whose name is unknown, is passed over', () => {
  const filter = (property: string, value: unknown) => ({
    object: 'runs_page',
    property,
    type: 'string',
    operation: 'equals',
    value,
  });
  const view = savedSearch({
    filters: [filter('state', 7), filter('tag', null), filter('colour', 'red'), filter('flow', '')],
  });
  assert.deepEqual(given(searchOf(view)), {});
});
