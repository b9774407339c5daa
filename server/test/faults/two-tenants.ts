/** A server with two tenants: an attacker with a full workspace, and one that does a little work all the time. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore } from '../../src/database/opening/connect.ts';
import { ensureDefaultWorkspace } from '../../src/database/workspaces.ts';
import { newId } from '../../src/values/id.ts';
import type { JsonText } from '../../src/values/json.ts';
import { addSeconds, systemClock } from '../../src/values/time.ts';
import { program } from '../support/bundle.ts';
import { FaultServer, sendJson, watchDelay, watchTurns } from './harness.ts';

export interface TwoTenants {
  readonly server: FaultServer;
  /** Headers of the administrator of both, who sends JSON. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request in the full workspace; 0 where the server closed the connection before it had the whole body. */
  attack(path: string, body: string): Promise<number>;
  /** Address of the other tenant's workspace, and of an object in it. */
  readonly other: string;
  readonly otherUrl: string;
  /** Measures the waits of the other tenant, which reads this object. */
  watch(): ReturnType<typeof watchDelay>;
  dispose(): Promise<void>;
}

/** A workspace of its own for a viewer who makes noise. */
export interface Noisy {
  /** Address of the workspace. */
  readonly api: string;
  /** Headers of the viewer. */
  readonly viewer: Readonly<Record<string, string>>;
  /** Revokes the viewer's key, by command beside the server. */
  revoke(): void;
}

export async function addNoisyViewer({ server, headers }: TwoTenants): Promise<Noisy> {
  const command = (...words: string[]) => {
    const environment = { ...process.env, SIGNALBOX_HOME: server.home };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
      env: { ...environment, SIGNALBOX_DATABASE_URL: `sqlite:${server.home}/signalbox.db` },
    });
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout.toString();
  };
  const organization = `${server.api}/v0/organizations/default`;
  const made = await sendJson('POST', `${organization}/workspaces`, { name: 'Noisy', handle: 'noisy' }, headers);
  const workspace = JSON.parse(made.text) as { id: string; organizationId: string };
  command('users', 'create', '--email', 'eve@example.com', '--organization', 'default', '--role', 'member');
  command('workspaces', 'grant', '--user', 'eve@example.com', '--workspace', 'noisy', '--role', 'viewer');
  const { id, secret } = JSON.parse(
    command('keys', 'create', '--user', 'eve@example.com', '--descriptor', 'test', '--json'),
  ) as { id: string; secret: string };
  return {
    api: `${server.api}/accounts/${workspace.organizationId}/workspaces/${workspace.id}`,
    viewer: { authorization: `Bearer ${secret}` },
    revoke: () => {
      command('keys', 'revoke', '--id', id);
    },
  };
}

/** The workspace of the attacker has `runs` flow runs with two tags each. */
export async function startTwoTenants(
  runs: number,
  postgresUrl?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TwoTenants> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-fault-'));
  const databaseUrl = postgresUrl ?? `sqlite:${join(home, 'signalbox.db')}`;
  await fill(databaseUrl, runs);
  const server = await FaultServer.start({ home, databaseUrl, environment: { ...watchTurns, ...settings } });
  const command = (...words: string[]) => {
    const environment = { ...process.env, SIGNALBOX_HOME: home, SIGNALBOX_DATABASE_URL: databaseUrl };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { env: environment });
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout.toString();
  };
  command('users', 'create', '--email', 'ada@example.com', '--organization', 'default', '--role', 'admin');
  const key = /sbx_\S+/.exec(command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test'))?.[0] ?? '';
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const made = await fetch(`${server.api}/v0/organizations/default/workspaces`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Other', handle: 'other' }),
  });
  const workspace = (await made.json()) as { id: string; organizationId: string };
  const other = `${server.api}/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
  const flow = (await (
    await fetch(`${other}/flows/`, { method: 'POST', headers, body: JSON.stringify({ name: 'other' }) })
  ).json()) as { id: string };
  const otherUrl = `${other}/flows/${flow.id}`;
  return {
    server,
    headers,
    other,
    otherUrl,
    attack: async (path, body) => {
      try {
        const answer = await fetch(server.api + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        await answer.arrayBuffer();
        return answer.status;
      } catch {
        return 0;
      }
    },
    watch: () => watchDelay(otherUrl, headers),
    dispose: async () => {
      await server.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function fill(databaseUrl: string, runs: number): Promise<void> {
  const store = await openStore(databaseUrl);
  try {
    const workspace = await ensureDefaultWorkspace(store, systemClock);
    const now = systemClock.now();
    const flow_id = newId();
    const first = { id: newId(), created: now, updated: now, name: 'full' };
    await store.transaction(workspace, async (tx) => {
      const { builder } = tx.dialect;
      const empty = '{}' as JsonText;
      await tx.execute(
        builder
          .insertInto('flow')
          .values({ workspace, ...first, id: flow_id, tags: '[]' as JsonText, labels: empty } as never),
      );
      for (let from = 0; from < runs; from += 5000) {
        const rows = Array.from({ length: Math.min(5000, runs - from) }, (_, index) => ({
          id: newId(),
          start: addSeconds(now, -(from + index)),
          name: `run-${from + index}-${'x'.repeat(60)}`,
        }));
        const item = tx.dialect.rowsFrom(JSON.stringify(rows), { id: 'uuid', start: 'timestamp', name: 'text' });
        await tx.execute(
          sql`insert into flow_run ("workspace", id, created, updated, name, flow_id, parameters, context, empirical_policy,
              tags, labels, state_type, state_name, run_count, expected_start_time, start_time, end_time, total_run_time,
              auto_scheduled)
            select ${tx.dialect.typed(workspace, 'integer')}, item.id, item.start, item.start, item.name,
              ${tx.dialect.typed(flow_id, 'uuid')}, '{}', '{}', '{}', '["a","b"]', '{}', 'COMPLETED', 'Completed', 1,
              item.start, item.start, item.start, 1, ${sql.raw(tx.dialect.name === 'sqlite' ? '0' : 'false')}
            from ${item} item -- "workspace"`,
        );
        for (const tag of ['a', 'b']) {
          await tx.execute(
            sql`insert into flow_run_tag ("workspace", tag, flow_run_id) select ${tx.dialect.typed(workspace, 'integer')},
                ${tx.dialect.typed(tag, 'text')}, item.id from ${item} item`,
          );
        }
      }
    });
    await store.refreshStatistics();
  } finally {
    await store.close();
  }
}
