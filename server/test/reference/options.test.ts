import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from './options.ts';

test('without options, 3000 requests are compared on SQLite with servers started for the run', () => {
  const options = readOptions([]);
  assert.equal(options.requests, 3000);
  assert.equal(options.database, 'sqlite');
  assert.equal(options.ours, undefined);
  assert.equal(options.openapi, true);
});

test('invalid options are refused with a clear error', () => {
  assert.throws(() => readOptions(['--requests', 'many']), /--requests must be a whole number, not "many"/);
  assert.throws(() => readOptions(['--database', 'oracle']), /sqlite or postgres/);
  assert.throws(() => readOptions(['--nonsense']), /nonsense/);
});
