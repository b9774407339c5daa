/**
 * `npm test`: every `*.test.ts` of the server and the dashboard, on SQLite and, where PostgreSQL is installed, on
 * PostgreSQL too. `-- --full` adds the tests that measure time and those whose statements are the same on PostgreSQL;
 * `-- --times` prints the processor time of each file.
 * Other arguments are passed to the test runner; files and folders among them replace the default. A run of all files ends with
 * `N passed, N failed, N skipped`, after a second try of those that failed.
 */
import { globSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsLine } from './support/counts.ts';
import { startPostgres } from './support/postgres.ts';
import { makeTemplates } from './support/templates.ts';
import { runTestFiles } from './support/test-files.ts';

const root = join(import.meta.dirname, '../..');
/** Arguments of this program; the rest are the test runner's. */
const OWN_WORDS = ['--full', '--times'];
const given = process.argv.slice(2);
const named = given.filter((argument) => statSync(argument, { throwIfNoEntry: false }));
const files =
  named.length > 0
    ? named.flatMap((path) => (statSync(path).isFile() ? [path] : globSync(join(path, '**/*.test.ts'))))
    : globSync('{server,dashboard}/{src,test}/**/*.test.ts', { cwd: root }).map((file) => join(root, file));

const postgres = await startPostgres();
if (!postgres) console.log('PostgreSQL 15 or newer is not installed here: the tests on PostgreSQL are skipped.');
const folder = await mkdtemp(join(tmpdir(), 'signalbox-templates-'));
const templates = await makeTemplates(folder, postgres);
const words = given.filter((argument) => !named.includes(argument) && !OWN_WORDS.includes(argument));
const counts = await runTestFiles(files, {
  // A file waits about as long as it computes.
  atOnce: Math.max(4, availableParallelism()),
  together: true,
  words,
  times: given.includes('--times'),
  secondTry: named.length === 0,
  env: {
    ...process.env,
    ...templates,
    // Each process would strip the types of the whole server again.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'signalbox'),
    ...(given.includes('--full') ? { SIGNALBOX_TEST_FULL: '1' } : {}),
    ...(postgres ? { SIGNALBOX_TEST_POSTGRES_URL: postgres.url } : {}),
  },
});
await postgres?.stop();
await rm(folder, { recursive: true, force: true });
console.log(countsLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
