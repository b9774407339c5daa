/**
 * Each way in which an operator or administrator ends an actor's access: every process closes the actor's streams
 * within a second, and admits no request of the actor after the answer.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from '../support/bundle.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { connect } from '../support/socket-client.ts';
import { until } from '../support/until.ts';
import { startWatchedUpstream } from '../support/watched-upstream.ts';
import { count, FaultServer, report } from './harness.ts';

const LIMIT_MILLISECONDS = 1000;
const ORGANIZATION = '/v0/organizations/default';
const REQUESTS_AFTER = 20;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly body: any;
}

/** A connection open at the first server: a stream of an MCP server, or a socket of a workspace. */
type Held = 'stream' | 'socket';

for (const database of ['postgres', 'sqlite'] as const) {
  test(`ended access closes open streams and admits no request, on ${database}`, async (t) => {
    const postgres = database === 'postgres' ? await startOwnPostgres() : undefined;
    if (database === 'postgres' && !postgres) return t.skip('no PostgreSQL is installed');
    t.after(() => postgres?.stop());
    const upstream = await startWatchedUpstream();
    t.after(() => upstream.stop());
    const late: ServerResponse[] = [];
    const begin = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': ready\n\n');
    upstream.answerWith(({ body }, response) => {
      if (body.includes('"late"')) late.push(response);
      else begin(response);
    });
    const environment = {
      SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
      SIGNALBOX_API_AUTH: 'key',
      SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const databaseUrl = await postgres?.createDatabase();
    const options = databaseUrl === undefined ? { environment } : { environment, databaseUrl };
    const holder = await FaultServer.start(options);
    t.after(() => holder.dispose());
    const other = postgres ? await FaultServer.start(options) : holder;
    t.after(() => (other === holder ? undefined : other.dispose()));

    const command = async (...words: string[]): Promise<{ id: string; secret: string }> => {
      const { SIGNALBOX_TEST_FAULTS: _, SIGNALBOX_TEST_POSTGRES_URL: __, ...inherited } = process.env;
      const url = databaseUrl === undefined ? {} : { SIGNALBOX_DATABASE_URL: databaseUrl };
      const child = spawn(process.execPath, [program, ...words, '--json'], {
        env: { ...inherited, ...environment, SIGNALBOX_HOME: holder.home, ...url },
      });
      let output = '';
      let errors = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk));
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
      const code = await new Promise((resolve) => child.once('close', resolve));
      assert.equal(code, 0, `${words.join(' ')}: ${errors}`);
      return JSON.parse(output || '{}');
    };
    const ask = async (server: FaultServer, key: string, method: string, path: string, body?: unknown) => {
      const answer = await fetch(server.api + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) } as Answer;
    };
    await command('users', 'create', '--email', 'ada@example.com', '--role', 'admin');
    const ada = await command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test');
    const change = async (method: string, path: string, body?: unknown) => {
      const answer = await ask(other, ada.secret, method, ORGANIZATION + path, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer)}`);
      return answer.body;
    };
    await change('POST', '/servers', {
      slug: 'held',
      name: 'held',
      kind: 'external',
      defaultRole: 'viewer',
      external: { url: upstream.url },
    });
    const workspace = await change('POST', '/workspaces', { name: 'W', handle: 'w', defaultRole: null });
    const hosted = `/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
    const grantOf = (id: string) => `/workspaces/${workspace.id}/grants/${id}`;

    /** An actor that may open both. */
    let made = 0;
    const newMember = async () => {
      const email = `member-${made++}@example.com`;
      const { token } = await change('POST', '/invitations', { email });
      const send = (path: string, body: object, headers: Record<string, string> = {}) =>
        fetch(`${other.api}/v0${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
      const joined = await send(`/invitations/${token}/accept`, { password: 'correct horse battery' });
      const cookie = (joined.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
      const { user, csrfToken } = (await joined.json()) as { user: { id: string }; csrfToken: string };
      await change('PUT', grantOf(user.id), { role: 'viewer' });
      const key = await send('/me/api-keys', { descriptor: 'test' }, { cookie, 'x-csrf-token': csrfToken });
      const { secret } = (await key.json()) as { secret: string };
      return { id: user.id, email, secret };
    };
    const newProgram = async (role = 'member') => {
      const account = { name: `program-${made++}`, descriptor: 'test', role };
      const { serviceAccount, secret } = await change('POST', '/service-accounts', account);
      await change('PUT', grantOf(serviceAccount.id), { role: 'viewer' });
      return { id: serviceAccount.id as string, email: '', secret: secret as string };
    };
    type Somebody = Awaited<ReturnType<typeof newMember>>;

    interface Way {
      readonly name: string;
      readonly who: () => Promise<Somebody>;
      readonly holds: readonly Held[];
      readonly end: (who: Somebody) => Promise<unknown>;
    }
    const ways: readonly Way[] = [
      {
        name: 'a grant on a workspace is removed',
        who: newMember,
        holds: ['socket'],
        end: ({ id }) => change('DELETE', grantOf(id)),
      },
      {
        name: 'a member is removed',
        who: newMember,
        holds: ['stream', 'socket'],
        end: ({ id }) => change('DELETE', `/members/${id}`),
      },
      {
        name: 'a user is removed by a command',
        who: newMember,
        holds: ['stream', 'socket'],
        end: ({ email }) => command('users', 'remove', '--email', email),
      },
      {
        name: 'a service account is suspended',
        who: () => newProgram(),
        holds: ['stream', 'socket'],
        end: ({ id }) => change('POST', `/service-accounts/${id}/suspend`),
      },
      {
        name: 'a service account is deleted',
        who: () => newProgram(),
        holds: ['stream', 'socket'],
        end: ({ id }) => change('DELETE', `/service-accounts/${id}`),
      },
      {
        name: 'the key of a service account is revoked',
        who: () => newProgram(),
        holds: ['stream', 'socket'],
        end: async ({ id }) => {
          const { items } = await change('GET', `/service-accounts/${id}/api-keys`);
          await change('DELETE', `/service-accounts/${id}/api-keys/${items[0].id}`);
        },
      },
    ];
    const rounds = count(1, 10);
    for (const { name, who, holds, end } of ways) {
      let longest = 0;
      let after = 0;
      for (let round = 0; round < rounds; round++) {
        const somebody = await who();
        const opened = await Promise.all(
          holds.map(async (kind): Promise<{ ended: Promise<unknown> }> => {
            if (kind === 'stream') return hold(holder, somebody.secret);
            const socket = await connect(`${holder.api.replace('http', 'ws')}${hosted}/events/out`, {
              token: somebody.secret,
            });
            return { ended: socket.ended() };
          }),
        );
        const ended = Promise.all(opened.map((one) => one.ended.then(() => performance.now())));
        await end(somebody);
        const answered = performance.now();
        for (let index = 0; index < REQUESTS_AFTER; index++) {
          for (const server of [holder, other]) {
            const flows = await ask(server, somebody.secret, 'POST', `${hosted}/flows/filter`, {});
            if (flows.status < 400) after += 1;
            if (holds.includes('stream') && (await passes(server, somebody.secret))) after += 1;
          }
        }
        longest = Math.max(longest, Math.max(...(await ended)) - answered);
      }
      report({
        test: '25',
        name: `${name} (${database})`,
        value: `${Math.max(0, Math.round(longest))} ms at most in ${rounds} rounds; ${after} requests accepted after it`,
        limit: `${LIMIT_MILLISECONDS} ms, 0`,
      });
      assert.equal(after, 0, name);
      assert.ok(longest <= LIMIT_MILLISECONDS, `${name}: ${longest} ms`);
    }

    const revoked = await newProgram('admin');
    const calling = hold(holder, revoked.secret, { name: 'late' });
    await until('the call reaches the server', () => late.length > 0);
    const parts = [
      begun(holder, `${hosted}/variables/`, revoked.secret, { name: 'late', value: 1 }),
      begun(holder, `${ORGANIZATION}/workspaces`, revoked.secret, { name: 'Late', handle: 'late' }),
      begun(holder, '/../servers/default/held/mcp', revoked.secret, callOf('later')),
    ];
    await Promise.all(parts.map(({ sent }) => sent));
    const seen = upstream.seen.length;
    await change('POST', `/service-accounts/${revoked.id}/suspend`);
    // By then every process has checked its open connections, and the bodies are slow.
    await delay(400);
    for (const response of late) begin(response);
    const answeredLate = performance.now();
    const { ended } = await calling;
    await ended;
    const lasted = Math.round(performance.now() - answeredLate);
    const statuses = await Promise.all(parts.map(({ finish }) => finish()));
    report({
      test: '25',
      name: `an answer that begins to stream, and bodies that arrive, after the end of access (${database})`,
      value: `${lasted} ms; answered ${statuses.join(', ')}`,
      limit: `${LIMIT_MILLISECONDS} ms, 401 or 403`,
    });
    assert.ok(lasted <= LIMIT_MILLISECONDS, `${lasted} ms`);
    assert.ok(
      statuses.every((status) => status === 401 || status === 403),
      statuses.join(', '),
    );
    assert.equal(upstream.seen.length, seen, 'no further request reached the server');
  });
}

const listening = { accept: 'application/json, text/event-stream' };
const callOf = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });

/** A GET stream, or the answer to a call, that has begun. */
function hold({ origin }: FaultServer, key: string, call?: { name: string }): Promise<{ ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const headers = { ...listening, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const method = call ? 'POST' : 'GET';
    const request = httpRequest(`${origin}/servers/default/held/mcp`, { agent: false, method, headers });
    request.on('error', reject);
    request.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`The stream is answered ${response.statusCode}.`));
      response.on('error', () => {});
      const ended = new Promise<void>((done) => response.once('close', () => done()));
      response.once('data', () => resolve({ ended }));
      response.resume();
    });
    request.end(call ? JSON.stringify(callOf(call.name)) : undefined);
  });
}

/** A request whose head and half of whose body the server has received. */
function begun({ api }: FaultServer, path: string, key: string, body: object) {
  const text = JSON.stringify(body);
  const half = text.length >> 1;
  const headers = {
    ...listening,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': text.length,
  };
  const request = httpRequest(new URL(api + path), { agent: false, method: 'POST', headers });
  const status = new Promise<number>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  const sent = new Promise<void>((resolve) => request.write(text.slice(0, half), () => resolve()));
  return {
    sent,
    finish: () => {
      request.end(text.slice(half));
      return status;
    },
  };
}

async function passes({ origin }: FaultServer, key: string): Promise<boolean> {
  const headers = { ...listening, authorization: `Bearer ${key}` };
  const answer = await fetch(`${origin}/servers/default/held/mcp`, { headers });
  await answer.body?.cancel();
  return answer.status < 400;
}
