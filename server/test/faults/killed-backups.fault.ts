/**
 * Backups and restores are killed while they write, and run again at once: the next one succeeds, no folder is ever a backup
 * that is not whole, and no database is ever half restored.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from '../support/bundle.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { count, FaultServer, ownEnvironment, report, runProgram, sendJson } from './harness.ts';

const KILLS = count(5, 20);
const ARTIFACTS = count(20, 100);
const ARTIFACT_BYTES = 400_000;
/** From the first write. Each of five rounds has a quarter of the time of the one before. */
const KILLED_WITHIN_MILLISECONDS = 400;

for (const database of ['sqlite', 'postgres'] as const) {
  test(`killed backups and restores are run again, on ${database}`, async (t) => {
    const postgres = database === 'postgres' ? await startOwnPostgres() : undefined;
    if (database === 'postgres' && !postgres) return t.skip('no PostgreSQL is installed');
    t.after(() => postgres?.stop());
    const scratch = await mkdtemp(join(tmpdir(), 'signalbox-killed-'));
    t.after(() => rm(scratch, { recursive: true, force: true }));
    const databaseUrl = await postgres?.createDatabase();
    const environment = { SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const server = await FaultServer.start({ environment, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    t.after(() => server.dispose());
    for (let index = 0; index < ARTIFACTS; index++) {
      const data = randomBytes(ARTIFACT_BYTES / 2).toString('hex');
      const { status, text } = await sendJson('POST', `${server.api}/artifacts/`, {
        key: `a${index}`,
        type: 'markdown',
        data,
      });
      assert.equal(status, 201, text);
    }

    const folder = join(scratch, 'backup');
    const parts = () => readdirSync(scratch).filter((name) => name.startsWith(`${basename(folder)}.`));
    const place = { home: server.home, databaseUrl: databaseUrl ?? '', environment };
    const backUp = () => runProgram(['backup', '--folder', folder], place);
    /** Ends a program after a random part of its writing, which begins when `isWriting`. */
    const killed = async (words: string[], to: typeof place, round: number, isWriting: () => boolean) => {
      const child = spawn(process.execPath, [program, ...words], {
        env: { ...ownEnvironment(), ...environment, SIGNALBOX_HOME: to.home, SIGNALBOX_DATABASE_URL: to.databaseUrl },
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await until('the program writes', () => isWriting() || child.exitCode !== null, 60);
      await delay((Math.random() * KILLED_WITHIN_MILLISECONDS) / 4 ** (round % 5));
      child.kill('SIGKILL');
      await ended;
      return child.exitCode === null;
    };
    const manifest = () => JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'));
    const emptyPlace = async (name: string) => {
      const url = (await postgres?.createDatabase()) ?? '';
      return { home: join(scratch, name), databaseUrl: url, environment };
    };

    let kills = 0;
    for (let round = 0; round < KILLS; round++) {
      const others = new Set(parts());
      const isKilled = await killed(['backup', '--folder', folder], place, round, () =>
        parts().some((name) => !others.has(name)),
      );
      if (isKilled) kills += 1;
      if (existsSync(folder)) await rm(folder, { recursive: true });
      const again = await backUp();
      assert.equal(again.code, 0, again.output);
      assert.equal(manifest().rows.artifact, ARTIFACTS);
      await rm(folder, { recursive: true });
    }
    report({ test: '5', name: `backups killed on ${database} whose repeat fails`, value: `0 of ${kills}`, limit: '0' });

    const both = await Promise.all([backUp(), backUp()]);
    assert.deepEqual(both.map(({ code }) => code === 0).sort(), [false, true], both.map(({ output }) => output).join());
    assert.ok('database' in manifest().files);

    let restored = 0;
    for (let round = 0; round < KILLS; round++) {
      const to = await emptyPlace(`home-${round}`);
      if (await killed(['restore', '--folder', folder], to, round, () => existsSync(to.home))) restored += 1;
      const again = await runProgram(['restore', '--folder', folder], to);
      // One that was killed after it had placed the database is done.
      if (again.code !== 0) assert.match(again.output, /The database .* already exists|already has tables/);
      const home = await FaultServer.start(to);
      try {
        const { text } = await sendJson('POST', `${home.api}/artifacts/count`, {});
        assert.equal(Number(text), ARTIFACTS);
      } finally {
        await home.dispose();
      }
      await rm(to.home, { recursive: true });
    }
    report({
      test: '5',
      name: `restores killed on ${database} whose repeat fails`,
      value: `0 of ${restored}`,
      limit: '0',
    });
  });
}
