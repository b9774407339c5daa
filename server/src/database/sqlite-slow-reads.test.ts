import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowReads } from './sqlite-slow-reads.ts';

const page = (offset: number) => ({ sql: 'select … offset ?', parameters: [offset], prepare: false });
const fixed = { sql: 'select …', parameters: [], prepare: true };

test('a large database tries a query that a request composed off the main thread, until it is known to be quick', () => {
  const reads = new SlowReads('', () => true);
  assert.equal(reads.owns(page(0)), true);
  reads.observe(page(0), 2);
  assert.equal(reads.owns(page(200)), false);
});

test('a page far down is not known by the first', () => {
  const reads = new SlowReads('', () => true);
  reads.observe(page(0), 2);
  assert.equal(reads.owns(page(80_000)), true);
  reads.observe(page(80_000), 60);
  assert.equal(reads.owns(page(90_000)), true);
  assert.equal(reads.owns(page(0)), false);
});

test('in a small database, and for queries of the server, the first slow run is the last on the main thread', () => {
  const small = new SlowReads('', () => false);
  assert.equal(small.owns(page(0)), false);
  small.observe(page(0), 26);
  assert.equal(small.owns(page(0)), true);
  const large = new SlowReads('', () => true);
  assert.equal(large.owns(fixed), false);
  large.observe(fixed, 26);
  assert.equal(large.owns(fixed), true);
});

test('what may read a whole table never runs on the main thread, however small the database and quick the last time', () => {
  const reads = new SlowReads('', () => false);
  const sums = { ...page(0), readsMuch: true };
  assert.equal(reads.owns(sums), true);
  reads.observe(sums, 2);
  assert.equal(reads.owns(sums), true);
});
