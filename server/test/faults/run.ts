/**
 * `npm run test:faults`: the promises of a server during failures and attacks. Each `*.fault.ts` drives real server
 * processes. Reduced counts by default; `-- --full` runs the counts that `docs/reliability.md` names, and
 * `-- --only database-restart` the files whose name contains the text.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, figuresFile } from './harness.ts';

const { values: options } = parseArgs({
  options: { full: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const files = globSync('*.fault.ts', { cwd: import.meta.dirname })
  .filter((file) => basename(file).includes(options.only))
  .sort();
await rm(figuresFile, { force: true });
const run = spawn(
  process.execPath,
  ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files.map((file) => join(import.meta.dirname, file))],
  { stdio: 'inherit', env: { ...process.env, SIGNALBOX_TEST_FAULTS: options.full ? 'full' : 'reduced' } },
);
const code = await new Promise<number>((resolve) => run.once('exit', (status) => resolve(status ?? 1)));
const lines = (await readFile(figuresFile, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean);
for (const { test, name, value, limit } of lines.map((line) => JSON.parse(line) as Figure)) {
  console.log(`${test.padEnd(4)} ${name}: ${value}${limit ? ` (limit ${limit})` : ''}`);
}
process.exitCode = code;
