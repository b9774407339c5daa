/**
 * `npm test`: every `*.test.ts` of the server, on SQLite and, where PostgreSQL is installed, on PostgreSQL too.
 * Arguments are passed to the test runner; paths among them replace the default. A run of all files ends with
 * `N passed, N failed, N skipped`, after a second try of those that failed.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './support/postgres.ts';
import { countsLine, runTestFiles } from './support/test-files.ts';

const server = join(dirname(fileURLToPath(import.meta.url)), '..');
const given = process.argv.slice(2);
const named = given.filter((argument) => argument.endsWith('.ts'));
const files =
  named.length > 0 ? named : globSync('{src,test}/**/*.test.ts', { cwd: server }).map((file) => join(server, file));

const postgres = await startPostgres();
if (!postgres) console.log('PostgreSQL 15 or newer is not installed here: the tests on PostgreSQL are skipped.');
const options = given.filter((argument) => !argument.endsWith('.ts'));
// A file waits about as long as it computes.
const atOnce = Math.max(4, availableParallelism());
const counts = await runTestFiles(files, {
  atOnce,
  words: options,
  secondTry: named.length === 0,
  env: {
    ...process.env,
    // Each file is a separate process: without this, each would strip the types of the whole server again.
    NODE_COMPILE_CACHE: join(server, '..', 'node_modules', '.cache', 'signalbox'),
    ...(postgres ? { SIGNALBOX_TEST_POSTGRES_URL: postgres.url } : {}),
  },
});
await postgres?.stop();
console.log(countsLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
