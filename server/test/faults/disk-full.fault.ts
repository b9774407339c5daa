/**
 * The disk fills up under load and is emptied again: the server stays up and reads continue; writes are refused while
 * it is full and resume afterwards without a restart of Signalbox. Needs the right to mount a file system of a few
 * megabytes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts';
import { Clients, told } from './clients.ts';
import { count, FaultServer, report } from './harness.ts';

const NORMAL_SECONDS = 5;
const CHUNK = Buffer.alloc(64 * 1024);
/** Longest value of a variable. */
const VALUE_LENGTH = 4900;

/** A separate file system of this size. Undefined where this user may not mount one. */
class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async mount(megabytes: number): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    if (status === 0) {
      // PostgreSQL runs as another user.
      chmodSync(folder, 0o755);
      return new SmallDisk(folder);
    }
    await rm(folder, { recursive: true });
    return undefined;
  }

  /** Fills the disk to the last byte. */
  async fill(): Promise<void> {
    const file = await open(this.#ballast, 'a');
    try {
      for (let chunk = CHUNK; chunk.length >= 4096; ) {
        const { bytesWritten } = await file.write(chunk).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOSPC') return { bytesWritten: 0 };
          throw error;
        });
        if (bytesWritten < chunk.length) chunk = chunk.subarray(0, chunk.length / 2);
      }
    } finally {
      await file.close();
    }
  }

  async free(): Promise<void> {
    await writeFile(this.#ballast, '');
  }

  async unmount(): Promise<void> {
    spawnSync('umount', ['-l', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }
}

/** Makes PostgreSQL begin new files of its log, until it cannot. */
async function useUpLog(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    // Each new file needs a record in the previous one.
    for (;;) await client.query(`select pg_logical_emit_message(false, 'signalbox', 'x'), pg_switch_wal()`);
  } catch {
    await client.end().catch(() => {});
  }
}

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`a full disk below ${database}`, () => {
    let disk: SmallDisk | undefined;
    let postgres: OwnPostgres | undefined;
    let server: FaultServer;
    let clients: Clients;
    let missing: string | undefined;

    const isReady = async () => {
      const answer = await fetch(`${server.api}/ready`);
      await answer.arrayBuffer();
      assert.ok([200, 503].includes(answer.status), String(answer.status));
      return answer.status === 200;
    };

    before(async () => {
      disk = await SmallDisk.mount(database === 'sqlite' ? 64 : 320);
      if (!disk) missing = 'this user may not mount a file system';
      else if (database === 'postgres') {
        postgres = await startOwnPostgres(disk.folder);
        if (!postgres) missing = 'no PostgreSQL is installed';
      }
      if (!disk || missing) return;
      const home = join(disk.folder, 'home');
      await mkdir(home);
      server = await FaultServer.start({ home, ...(postgres ? { databaseUrl: await postgres.createDatabase() } : {}) });
      clients = new Clients(server.api, { length: VALUE_LENGTH });
      await clients.allSucceed();
    });
    after(async () => {
      await clients?.stop();
      await server?.dispose();
      await postgres?.stop();
      await disk?.unmount();
    });

    test('the server stays up, is not ready, and writes again within seconds once there is room', async (t) => {
      if (!disk || missing) return t.skip(missing);
      const { pid } = server;
      const rounds = count(2, 5);
      let longest = 0;
      for (let round = 0; round < rounds; round++) {
        await disk.fill();
        const refusals = () => clients.writes.get(503) ?? 0;
        const before = refusals();
        const deadline = Date.now() + 30_000;
        while (refusals() === before) {
          assert.ok(Date.now() < deadline, 'no write was refused');
          await disk.fill();
          await delay(20);
        }
        assert.equal(await isReady(), false);
        // The last time PostgreSQL finds no room for its log, and exits.
        if (postgres && round === rounds - 1) await useUpLog(postgres.url);
        const end = Date.now() + count(3, 60) * 1000;
        while (Date.now() < end) {
          await disk.fill();
          await delay(100);
        }
        assert.equal(await isReady(), false);
        await disk.free();
        const freed = performance.now();
        // PostgreSQL exits when it cannot write its log, and its supervisor restarts it.
        if (postgres && !postgres.runs()) await postgres.restartAtOnce();
        await clients.allSucceed();
        while (!(await isReady())) await delay(50);
        longest = Math.max(longest, (performance.now() - freed) / 1000);
        assert.ok(server.running && server.pid === pid, server.output);
      }
      report({
        test: '4',
        name: `${database}: after a full disk has room, until every client writes and the server is ready`,
        value: `${longest.toFixed(2)} s, at most, of ${rounds} times`,
        limit: `${NORMAL_SECONDS} s`,
      });
      assert.ok(longest <= NORMAL_SECONDS, `${longest} s`);
    });

    test('reads continue, writes are refused with 503 only, and no acknowledged write is lost', async (t) => {
      if (!disk || missing) return t.skip(missing);
      await clients.stop();
      const lost = await clients.lost();
      const total = clients.acknowledged.length;
      report({
        test: '4',
        name: `${database}: acknowledged writes lost`,
        value: `${lost.length} of ${total}`,
        limit: '0',
      });
      report({
        test: '4',
        name: `${database}: answers`,
        value: `reads ${told(clients.reads)}; writes ${told(clients.writes)}`,
      });
      assert.deepEqual(lost, []);
      const unexpected = (statuses: Iterable<number>, expected: readonly number[]) =>
        [...statuses].filter((status) => !expected.includes(status));
      // A PostgreSQL that exited answers no reads either.
      assert.deepEqual(unexpected(clients.reads.keys(), database === 'sqlite' ? [200, 404] : [200, 404, 503]), []);
      assert.deepEqual(unexpected(clients.writes.keys(), [201, 503]), []);
      assert.deepEqual(clients.withoutRetryAfter, []);
    });

    test('the database is intact', async (t) => {
      if (!disk || missing) return t.skip(missing);
      await server.end('SIGTERM');
      if (database === 'sqlite') {
        const file = new DatabaseSync(join(server.home, 'signalbox.db'));
        assert.equal(file.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
        assert.deepEqual(file.prepare('pragma foreign_key_check').all(), []);
        file.close();
      }
      await server.start();
      assert.deepEqual(await clients.lost(), []);
    });
  });
}
