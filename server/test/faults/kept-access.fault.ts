/**
 * Servers on one PostgreSQL keep facts about access for some time. No request that begins after the answer to a change passes by
 * the facts from before it: at the server that made it and at others, under load, also when those are frozen or killed.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startOwnPostgres } from '../support/postgres.ts';
import { startWatchedUpstream } from '../support/watched-upstream.ts';
import { count, FaultServer, p99, report, runProgram, sendJson } from './harness.ts';

const CHANGES = count(36, 1000);
const CLIENTS_OF_ONE = 3;
/** Time of requests before a change, so that facts are kept, and after its answer. */
const BEFORE_MILLISECONDS = 150;
const AFTER_MILLISECONDS = count(150, 400);
const FREEZE_EVERY = 9;
const FROZEN_MILLISECONDS = 1500;
const KILL_EVERY = 12;
const ORGANIZATION = '/v0/organizations/default';

interface Sent {
  readonly at: number;
  readonly status: number;
}

test('no request passes by facts from before a change that was answered', async (t) => {
  const postgres = await startOwnPostgres();
  if (!postgres) return t.skip('no PostgreSQL is installed');
  t.after(() => postgres.stop());
  const upstream = await startWatchedUpstream();
  t.after(() => upstream.stop());
  upstream.answerWith(({ body }, response) => {
    const id = body === '' ? null : (JSON.parse(body) as { id: number }).id;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
  });
  const databaseUrl = await postgres.createDatabase();
  const environment = {
    SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
    SIGNALBOX_API_AUTH: 'key',
    SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const servers: FaultServer[] = [];
  t.after(() => Promise.all(servers.map((server) => server.dispose())));
  for (let index = 0; index < 3; index++) servers.push(await FaultServer.start({ environment, databaseUrl }));
  const [maker, steady, shaken] = servers as [FaultServer, FaultServer, FaultServer];
  const command = async (...words: string[]) => {
    const { code, stdout, output } = await runProgram([...words, '--json'], {
      home: maker.home,
      environment,
      databaseUrl,
    });
    assert.equal(code, 0, output);
    return JSON.parse(stdout);
  };
  await command('users', 'create', '--email', 'ada@example.com', '--role', 'admin');
  const ada = await command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test');
  const change = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${ada.secret}` };
    const { status, text } = await sendJson(method, `${maker.api}${ORGANIZATION}${path}`, body, headers);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await change('POST', '/servers', {
    ...{ slug: 'held', name: 'held', kind: 'external', defaultRole: 'viewer', external: { url: upstream.url } },
  });
  const workspace = await change('POST', '/workspaces', { name: 'W', handle: 'w', defaultRole: null });
  const flows = `/api/accounts/${workspace.organizationId}/workspaces/${workspace.id}/flows/count`;
  const mcp = '/servers/default/held/mcp';
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: {} } });
  let made = 0;
  const newProgram = async () => {
    const account = { name: `program-${made++}`, descriptor: 'test', role: 'member' };
    const { serviceAccount, secret } = await change('POST', '/service-accounts', account);
    await change('PUT', `/workspaces/${workspace.id}/grants/${serviceAccount.id}`, { role: 'viewer' });
    return { id: serviceAccount.id as string, secret: secret as string };
  };
  type Program = Awaited<ReturnType<typeof newProgram>>;
  const policy = (effect: string) => ({
    rules: [{ role: 'viewer', capability: 'tool', pattern: '*', effect }],
  });
  /** Each change, and what it ends. */
  const changes: { ends: readonly string[]; make(who: Program): Promise<unknown>; undo?(): Promise<unknown> }[] = [
    { ends: [flows], make: ({ id }) => change('DELETE', `/workspaces/${workspace.id}/grants/${id}`) },
    { ends: [flows, mcp], make: ({ id }) => change('POST', `/service-accounts/${id}/suspend`) },
    { ends: [flows, mcp], make: ({ id }) => change('DELETE', `/service-accounts/${id}`) },
    {
      ends: [flows, mcp],
      make: async ({ id }) => {
        const { items } = await change('GET', `/service-accounts/${id}/api-keys`);
        await change('DELETE', `/service-accounts/${id}/api-keys/${items[0].id}`);
      },
    },
    {
      ends: [mcp],
      make: () => change('PUT', '/servers/held/policy', policy('deny')),
      undo: () => change('PUT', '/servers/held/policy', policy('allow')),
    },
    {
      ends: [mcp],
      make: () => change('PATCH', '/servers/held', { defaultRole: null }),
      undo: () => change('PATCH', '/servers/held', { defaultRole: 'viewer' }),
    },
  ];

  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  t.after(() => agent.destroy());
  const send = (server: FaultServer, path: string, secret: string) =>
    new Promise<Sent>((resolve) => {
      const at = performance.now();
      const body = path === mcp ? call : '{}';
      const headers = {
        ...{ authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-length': body.length },
        accept: 'application/json, text/event-stream',
      };
      const sent = request(server.origin + path, { method: 'POST', headers, agent }, (response) => {
        response.resume().once('close', () => resolve({ at, status: response.statusCode ?? 0 }));
      });
      sent.once('error', () => resolve({ at, status: 0 }));
      sent.end(body);
    });

  let requests = 0;
  let passedBefore = 0;
  let passedAfter = 0;
  let freezes = 0;
  let kills = 0;
  const took: number[] = [];
  for (let round = 0; round < CHANGES; round++) {
    const { ends, make, undo } = changes[round % changes.length]!;
    const who = await newProgram();
    let stopped = false;
    const all: Sent[] = [];
    const clients = servers.flatMap((server) =>
      ends.flatMap((path) =>
        Array.from({ length: CLIENTS_OF_ONE }, async () => {
          while (!stopped) {
            all.push(await send(server, path, who.secret));
            // A server that is away refuses connections at once.
            if (all.at(-1)?.status === 0) await delay(20);
          }
        }),
      ),
    );
    await delay(BEFORE_MILLISECONDS);
    const isFrozen = round % FREEZE_EVERY === FREEZE_EVERY - 1;
    const isKilled = !isFrozen && round % KILL_EVERY === KILL_EVERY - 1;
    if (isFrozen) shaken.freeze();
    if (isKilled) await shaken.end('SIGKILL');
    const began = performance.now();
    await make(who);
    const answered = performance.now();
    took.push(answered - began);
    if (isFrozen) {
      freezes += 1;
      await delay(FROZEN_MILLISECONDS);
      shaken.thaw();
    }
    if (isKilled) {
      kills += 1;
      await shaken.start();
    }
    await delay(AFTER_MILLISECONDS);
    stopped = true;
    await Promise.all(clients);
    requests += all.length;
    passedBefore += all.filter(({ at, status }) => at < began && status === 200).length;
    passedAfter += all.filter(({ at, status }) => at > answered && status === 200).length;
    await undo?.();
  }
  assert.ok(steady.running);
  report({
    test: '25',
    name: `${requests} requests around ${CHANGES} changes, ${freezes} freezes and ${kills} kills of a server (kept facts, postgres)`,
    value: `${passedBefore} accepted before, ${passedAfter} after the answer; a change took ${p99(took).toFixed(0)} ms (p99)`,
    limit: '0 after',
  });
  assert.ok(passedBefore > CHANGES, String(passedBefore));
  assert.equal(passedAfter, 0);
});
