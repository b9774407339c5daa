/**
 * Every statement that asks who may do what where takes its joins from `identity/access/standing.ts`. The statements of
 * each request are compared with `standing.sql`, so that a change of the joins shows what it does to them;
 * `SIGNALBOX_TEST_WRITE=1` writes the file anew.
 */
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Statement } from '../../src/database/statement.ts';
import { files, sources } from './imports.ts';

const snapshot = join(import.meta.dirname, 'standing.sql');
/** The files of the statements that each request runs. */
const hot = [
  'identity/access/workspace-access.ts',
  'identity/access/session-access.ts',
  'mcp/gateway/arrive/server-access.ts',
];
/** A list of all actors, and the names of owners, which no decision uses. */
const otherJoins = ['platform/grants/queries.ts', 'platform/keys/api-keys/expiring.ts', 'platform/operator/keys.ts'];

test('membership, service account and grant are joined in one place', () => {
  const found = files.filter((file) =>
    /Join\(\s*'(membership|service_account|resource_grant)'/.test(readFileSync(join(sources, file), 'utf8')),
  );
  assert.deepEqual(found.toSorted(), ['identity/access/standing.ts', ...otherJoins]);
});

test('the statements of each request are as they were', async () => {
  const declared: Statement<object, unknown>[] = [];
  subscribe('signalbox:statement', (one) => declared.push(one as Statement<object, unknown>));
  const [{ sqliteDialect }, { postgresDialect }] = await Promise.all([
    import('../../src/database/dialect/sqlite.ts'),
    import('../../src/database/dialect/postgres.ts'),
  ]);
  const texts: string[] = [];
  for (const file of hot) {
    declared.length = 0;
    // Another test of this process may have loaded it.
    await import(`../../src/${file}?declared=anew`);
    const named = new Proxy({}, { get: (_, name) => `:${String(name)}` });
    for (const dialect of [sqliteDialect, postgresDialect]) {
      for (const one of declared) {
        const { sql } = one.bind(dialect, named, { workspace: undefined });
        if (sql.includes('"resource_grant"')) texts.push(`-- ${file} on ${dialect.name}\n${sql};\n`);
      }
    }
  }
  const written = texts.join('\n');
  if (process.env['SIGNALBOX_TEST_WRITE']) writeFileSync(snapshot, written);
  assert.ok(texts.length >= 18, String(texts.length));
  assert.equal(written, readFileSync(snapshot, 'utf8'));
});
