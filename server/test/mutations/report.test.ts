import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Result, readResults, reportOf, writeResult } from './report.ts';

const found: Result = {
  number: 1,
  kind: 'rule',
  operator: 'negate a condition',
  file: 'server/src/rule.ts',
  line: 3,
  difference: 'if ([-a-]{+!(a)+})',
  foundBy: 'rule.test.ts: a rule holds',
  flaky: [],
  files: 6,
  commit: 'one',
  isNearOnly: false,
  seconds: 9,
};
const { foundBy: _, ...survived } = { ...found, number: 2 };

test('a run goes on after the results of its commit', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-results-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, '7.jsonl');
  const numbers = (commit: string, isNearOnly: boolean) => [...readResults(file, commit, isNearOnly).keys()];
  assert.deepEqual(numbers('one', false), []);
  writeResult(file, found);
  writeResult(file, { ...survived, foundBy: undefined, isNearOnly: true });
  assert.deepEqual(numbers('one', true), [1, 2]);
  assert.deepEqual(numbers('one', false), [1], 'tests further away may find what the near ones did not');
  assert.deepEqual(numbers('two', false), []);
  writeResult(file, { ...survived, foundBy: undefined });
  assert.deepEqual(numbers('one', false), [1, 2]);
});

test('the report ends with the counts, and names who found a change', () => {
  const lines = reportOf([found, { ...survived, foundBy: undefined }]).split('\n');
  assert.match(lines[0]!, /rule\.ts:3 .* rule\.test\.ts: a rule holds$/);
  assert.match(lines[1]!, /SURVIVED$/);
  assert.equal(lines.at(-1), '1 passed, 1 failed, 0 skipped');
});
