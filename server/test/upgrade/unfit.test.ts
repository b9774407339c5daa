/** Databases whose tables are not those that their migrations make, and starts that are ended on the way. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { openStore } from '../../src/database/opening/connect.ts';
import { ConfigError } from '../../src/errors.ts';
import { examineDatabase } from '../../src/process/doctor/database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { databases } from '../support/server.ts';
import { execute } from './execute.ts';
import { type DatabaseName, earlierSql, frozenSql } from './frozen-schemas.ts';

const program = join(import.meta.dirname, '../../src/database/opening/connect.ts');
const triggers = { sqlite: 'session_access_changed', postgres: 'session_access_changed on session' };

interface Unfit {
  readonly sql: (database: DatabaseName) => string;
  /** What is changed after today's code has opened it. */
  readonly afterwards?: string;
  readonly says: RegExp;
}

const databasesOf: Record<string, Unfit> = {
  'of an older commit that lacks a column': {
    sql: (database) => frozenSql('0.1.0', database).replace(/^ +manifest_error .*\n/m, ''),
    says: /after 0010-ended-mcp-sessions it has another table mcp_server\./,
  },
  'of an older commit that has another type': {
    sql: (database) => frozenSql('0.1.0', database).replace(/^( +level) \w+ not null/m, '$1 text not null'),
    says: /it has another table log\./,
  },
  'of an older commit that lacks a rule and an index': {
    sql: (database) =>
      frozenSql('0.1.0', database)
        .replace(/,\s+unique \(workspace, name\)/, '')
        .replace(/^create unique index ix_flow_run_idempotency .*\n/m, ''),
    says: /it has (?=[^.]*another table \w+)[^.]*no index ix_flow_run_idempotency/,
  },
  'that lost a trigger': {
    sql: (database) => `${frozenSql('0.1.0', database)}drop trigger ${triggers[database]}`,
    says: /it has no trigger session_access_changed/,
  },
  'that already has a table of a migration to come': {
    sql: (database) => `${earlierSql('0.1.0', database, 8)}create table mcp_ended_session (id integer)`,
    says: /0010-ended-mcp-sessions fails there \(.*mcp_ended_session.* already exists\)/,
  },
  'that lacks a migration in the middle': {
    sql: (database) => frozenSql('0.1.0', database).replace(/^insert into migration values \('0009.*\n/m, ''),
    says: /it has 0010-ended-mcp-sessions, but not 0009-upstream-credentials\./,
  },
  'whose version had another migration of the same name': {
    sql: (database) => frozenSql('0.1.0', database),
    afterwards: "update migration set digest = 'another' where name = '0004-gateway'",
    says: /there, 0004-gateway made other tables\./,
  },
};

for (const database of databases) {
  describe(`on ${database}`, () => {
    let home: string;
    let postgres: TestPostgres | undefined;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
      postgres = database === 'postgres' ? await startPostgres() : undefined;
    });
    after(async () => {
      await postgres?.stop();
      await rm(home, { recursive: true, force: true });
    });
    let made = 0;
    const databaseWith = async (sql: string) => {
      const url = postgres ? await postgres.createDatabase() : `sqlite:${join(home, `${++made}.db`)}`;
      await execute(url, sql);
      return url;
    };
    /** The columns of all tables but those of the planner, and what ran. */
    const stateOf = async (url: string) => [
      await execute(
        url,
        postgres
          ? `select relname, attname, atttypid from pg_class join pg_attribute on attrelid = pg_class.oid
              where relnamespace = current_schema()::regnamespace order by relname, attname`
          : `select name, sql from sqlite_schema where name not like 'sqlite_%' order by name`,
      ),
      await execute(url, 'select * from migration order by name'),
    ];
    /** Opens it in a process of its own; `begun` is the text of a function. */
    const openElsewhere = async (url: string, begun: string) => {
      const open = `const { openStore } = await import(${JSON.stringify(program)});
        await (await openStore(${JSON.stringify(url)}, ${begun})).close();`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', open], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      child.stdout.on('data', (text) => {
        printed += text;
      });
      const [code, signal] = await once(child, 'close');
      return { code, signal, printed };
    };

    for (const [name, { sql, afterwards, says }] of Object.entries(databasesOf)) {
      test(`a database ${name} is refused in one sentence, by the doctor too, and not changed`, async () => {
        const url = await databaseWith(sql(database));
        if (afterwards) {
          await (await openStore(url)).close();
          await execute(url, afterwards);
        }
        const untouched = await stateOf(url);
        const messages = new Set<string>();
        for (let start = 0; start < 2; start++) {
          await assert.rejects(openStore(url), (error: unknown) => {
            assert.ok(error instanceof ConfigError, String(error));
            messages.add(error.message);
            return true;
          });
        }
        assert.deepEqual(await stateOf(url), untouched);
        const [message = ''] = messages;
        assert.match(message, says);
        assert.match(message, /^The database .* does not fit this version of Signalbox: [^\n]+ Nothing was changed\./);
        // It does not try what is pending.
        if (!message.includes(' fails there ')) {
          for (const { says } of await examineDatabase({ ...readConfig({}, {}), databaseUrl: url })) messages.add(says);
          assert.deepEqual(await stateOf(url), untouched);
        }
        assert.equal(messages.size, 1, [...messages].join('\n'));
      });
    }

    test('what somebody added to a database does not keep it from being brought up to date', async () => {
      const url = await databaseWith(
        `${frozenSql('0.1.0', database)}
        create table report (id integer);
        create index report_of_logs on log (level);
        create view errors as select message from log where level >= 40;`,
      );
      await (await openStore(url)).close();
      const digests = await execute(url, 'select name, length(digest) as digits from migration order by name');
      assert.deepEqual(
        digests,
        migrations.map(({ name }) => ({ name, digits: 64 })),
      );
      await (await openStore(url)).close();
    });

    test('a start that is killed while it migrates leaves the database as it was', async () => {
      const url = await databaseWith(earlierSql('0.1.0', database, 8));
      const untouched = await stateOf(url);
      const { signal } = await openElsewhere(
        url,
        `(name) => name === '${migrations.at(-1)?.name}' && process.kill(process.pid, 'SIGKILL')`,
      );
      assert.equal(signal, 'SIGKILL');
      assert.deepEqual(await stateOf(url), untouched);
      await (await openStore(url, undefined, undefined, migrations.slice(0, 8))).close();
      const told: string[] = [];
      await (await openStore(url, (name) => told.push(name))).close();
      assert.deepEqual(
        told,
        migrations.slice(8).map(({ name }) => name),
      );
    });

    test('processes that start at the same moment bring it up to date once', async () => {
      const url = await databaseWith(earlierSql('0.1.0', database, 8));
      const starts = await Promise.all([1, 2, 3, 4].map(() => openElsewhere(url, '(name) => console.log(name)')));
      assert.deepEqual(
        starts.map(({ code }) => code),
        [0, 0, 0, 0],
      );
      assert.deepEqual(
        starts.flatMap(({ printed }) => printed.split('\n').filter(Boolean)),
        migrations.slice(8).map(({ name }) => name),
      );
      const rows = await execute(url, 'select name from migration where digest is not null order by name');
      assert.deepEqual(
        rows.map(({ name }) => name),
        migrations.map(({ name }) => name),
      );
    });
  });
}
