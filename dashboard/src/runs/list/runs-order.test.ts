import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isByStart, orderChoices, orderOf, searchOf, sortingOf, sortOf } from './runs-order.ts';

test('the newest runs come first unless the address says otherwise', () => {
  for (const sort of [undefined, '', 'nonsense', 'constructor', '__proto__', '--start']) {
    assert.equal(orderOf({ sort }), '-start');
    assert.equal(sortOf({ sort }), 'START_TIME_DESC');
    assert.equal(isByStart({ sort }), true);
  }
});

test('a column of the table is an order of the server, in both directions', () => {
  assert.deepEqual(sortingOf({ sort: 'name' }), { by: 'name', direction: 'ascending' });
  assert.equal(sortOf({ sort: 'name' }), 'NAME_ASC');
  assert.deepEqual(sortingOf({ sort: '-duration' }), { by: 'duration', direction: 'descending' });
  assert.equal(sortOf({ sort: '-duration' }), 'RUN_TIME_DESC');
  assert.equal(isByStart({ sort: 'name' }), false);
});

test('each order that is offered comes back from the address', () => {
  for (const [order] of orderChoices) {
    const sort = searchOf(sortingOf({ sort: order }));
    assert.equal(orderOf({ sort }), order);
  }
  assert.equal(new Set(orderChoices.map(([sort]) => sortOf({ sort }))).size, orderChoices.length);
});

test('the address does not name the usual order', () => {
  assert.equal(searchOf({ by: 'start', direction: 'descending' }), undefined);
  assert.equal(searchOf({ by: 'start', direction: 'ascending' }), 'start');
});
