import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processesOf } from './process-count.ts';

const GIGABYTE = 1024 ** 3;
const POSTGRES = 'postgres://localhost/signalbox';
const machine = (processors: number, gigabytes = 64) => ({
  processors,
  bytes: gigabytes * GIGABYTE,
  platform: 'linux',
});

test('auto leaves a processor to the database, and stops at the memory and at eight', () => {
  const auto = (processors: number, gigabytes?: number) =>
    processesOf({ processes: 'auto', databaseUrl: POSTGRES }, machine(processors, gigabytes));
  assert.deepEqual(
    [1, 2, 3, 4, 6, 16].map((processors) => auto(processors)),
    [1, 1, 1, 3, 5, 8],
  );
  assert.deepEqual([auto(16, 1), auto(16, 0.2)], [3, 1]);
});

test('a number is taken as it is', () => {
  assert.equal(processesOf({ processes: 6, databaseUrl: POSTGRES }, machine(1)), 6);
});

test('SQLite has one process: auto is one, and more are refused with what to do', () => {
  const databaseUrl = 'sqlite:/data/signalbox.db';
  assert.equal(processesOf({ processes: 'auto', databaseUrl }, machine(16)), 1);
  assert.equal(processesOf({ processes: 1, databaseUrl }, machine(16)), 1);
  assert.throws(
    () => processesOf({ processes: 4, databaseUrl }, machine(16)),
    /SIGNALBOX_PROCESSES \(--processes\) is 4, but a server on SQLite is one process: .* use PostgreSQL \(SIGNALBOX_DATABASE_URL\)/,
  );
});

test('Windows has one process', () => {
  const windows = { ...machine(16), platform: 'win32' };
  assert.equal(processesOf({ processes: 'auto', databaseUrl: POSTGRES }, windows), 1);
  assert.throws(() => processesOf({ processes: 2, databaseUrl: POSTGRES }, windows), /on Windows/);
});
