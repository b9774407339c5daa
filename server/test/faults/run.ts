/**
 * `npm run test:faults`: the promises of a server during failures and attacks. Each `*.fault.ts` drives real server
 * processes. Reduced counts by default; `-- --full` runs the counts that `docs/reliability.md` names, and
 * `-- --only database-restart` the files whose name contains the text.
 */
import { globSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Counts, countsLine } from '../support/counts.ts';
import { runTestFiles } from '../support/test-files.ts';
import { type Figure, figuresFile } from './harness.ts';

/** Their figures are counts, which other programs on the machine do not change. */
const WITHOUT_MEASURES = [
  'disk-full.fault.ts',
  'no-climbing.fault.ts',
  'raw-fuzz.fault.ts',
  'remix.fault.ts',
  'schemathesis.fault.ts',
  'second-server.fault.ts',
  'tool-policy.fault.ts',
];

const { values: options } = parseArgs({
  options: { full: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const files = globSync('*.fault.ts', { cwd: import.meta.dirname })
  .filter((file) => basename(file).includes(options.only))
  .sort();
await rm(figuresFile, { force: true });
// Tests that measure how long others wait, or how much a server takes, run alone; the rest need not.
const isUnmeasured = (file: string) => WITHOUT_MEASURES.includes(file);
const counts = [
  await runFiles(files.filter(isUnmeasured), 3),
  await runFiles(
    files.filter((file) => !isUnmeasured(file)),
    1,
  ),
];
const lines = (await readFile(figuresFile, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean);
for (const { test, name, value, limit } of lines.map((line) => JSON.parse(line) as Figure)) {
  console.log(`${test.padEnd(4)} ${name}: ${value}${limit ? ` (limit ${limit})` : ''}`);
}
const sum = (kind: keyof Counts) => counts.reduce((total, one) => total + one[kind], 0);
console.log(countsLine({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }));
process.exitCode = sum('failed') > 0 ? 1 : 0;

async function runFiles(names: readonly string[], atOnce: number): Promise<Counts> {
  if (names.length === 0) return { passed: 0, failed: 0, skipped: 0 };
  return runTestFiles(
    names.map((file) => join(import.meta.dirname, file)),
    { atOnce, secondTry: true, env: { ...process.env, SIGNALBOX_TEST_FAULTS: options.full ? 'full' : 'reduced' } },
  );
}
