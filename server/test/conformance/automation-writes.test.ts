/** Triggers learn of a changed automation by a mark in the same transaction; a writer that forgets it leaves them stale. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const sources = join(import.meta.dirname, '../../src');
const WRITE = /\bautomations\.(?:insert|insertUnlessThere|change|changeAll|remove|removeAll)\(/g;

test('every change of an automation follows a mark for its triggers', () => {
  const writers = globSync('**/*.ts', { cwd: sources })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(join(sources, file), 'utf8') }))
    .filter(({ text }) => text.search(WRITE) !== -1);
  assert.ok(writers.length >= 2, `${writers.length} files change automations`);
  for (const { file, text } of writers) assert.match(text, /tx\.run\(claimTriggers\)/, file);
});
