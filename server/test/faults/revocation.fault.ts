/**
 * When one process ends an actor's access, the other processes close the actor's connections and admit no further
 * request.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { describe, test } from 'node:test';
import { startOwnPostgres } from '../support/postgres.ts';
import { connect } from '../support/socket-client.ts';
import { startWatchedUpstream } from '../support/watched-upstream.ts';
import { count, FaultServer, report, runProgram, sendJson } from './harness.ts';

const LIMIT_MILLISECONDS = 1000;
const SERVERS = '/v0/organizations/default/servers';

for (const database of ['postgres', 'sqlite'] as const) {
  const how = database === 'postgres' ? 'another replica on PostgreSQL' : 'a command beside a server on SQLite';
  describe(`access ended by ${how}`, () => {
    test('ends streams and sockets within a second, and no request passes after it', async (t) => {
      const postgres = database === 'postgres' ? await startOwnPostgres() : undefined;
      if (database === 'postgres' && !postgres) return t.skip('no PostgreSQL is installed');
      const upstream = await startWatchedUpstream();
      upstream.answerWith(({ method, body }, response) => {
        if (method === 'POST' && !body.includes('"hold"')) {
          const { id } = JSON.parse(body) as { id: number };
          response.writeHead(200, { 'content-type': 'application/json' });
          return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': ready\n\n');
      });
      const environment = {
        SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
        SIGNALBOX_API_AUTH: 'key',
        SIGNALBOX_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      };
      const databaseUrl = await postgres?.createDatabase();
      const options = databaseUrl === undefined ? { environment } : { environment, databaseUrl };
      const holder = await FaultServer.start(options);
      const other = database === 'postgres' ? await FaultServer.start(options) : holder;
      try {
        const command = async (...words: string[]) => {
          const place = { home: holder.home, environment, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
          const { code, stdout, output } = await runProgram([...words, '--json'], place);
          assert.equal(code, 0, output);
          return JSON.parse(stdout);
        };
        const keyOf = (email: string) => command('keys', 'create', '--user', email, '--descriptor', 'test');
        await command('users', 'create', '--email', 'ada@example.com', '--role', 'admin');
        const ada = await keyOf('ada@example.com');
        const call = (server: FaultServer, method: string, path: string, body: unknown, key = ada.secret) =>
          sendJson(method, server.api + path, body, { authorization: `Bearer ${key}` });
        const made = await call(other, 'POST', SERVERS, {
          slug: 'held',
          name: 'held',
          kind: 'external',
          defaultRole: 'viewer',
          external: { url: upstream.url },
        });
        assert.equal(made.status, 201, made.text);
        let longest = 0;
        let after = 0;
        const rounds = count(3, 50);
        for (let round = 0; round < rounds; round++) {
          const revoked = await keyOf('ada@example.com');
          const streams = await Promise.all(['GET', 'POST'].map((method) => hold(holder, method, revoked.secret)));
          const socket = await connect(`${holder.api.replace('http', 'ws')}/events/out`, { token: revoked.secret });
          const held = [...streams.map(({ ended }) => ended), socket.ended()];
          const began = performance.now();
          const ended = Promise.all(held.map((one) => one.then(() => performance.now())));
          if (database === 'postgres') {
            const { status, text } = await call(other, 'DELETE', `/v0/me/api-keys/${revoked.id}`, undefined);
            assert.equal(status, 204, text);
          } else await command('keys', 'revoke', '--id', revoked.id);
          const answered = performance.now();
          for (let index = 0; index < 20; index++) {
            const path = '/servers/default/held/mcp';
            const { status } = await fetch(holder.origin + path, {
              method: 'POST',
              headers: { authorization: `Bearer ${revoked.secret}`, 'content-type': 'application/json' },
              body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
            });
            if (status !== 401) after += 1;
            if ((await call(holder, 'GET', '/v0/me', undefined, revoked.secret)).status !== 401) after += 1;
          }
          // A command exits some time after its change; a stream that ended before the command did is not late.
          const last = Math.max(...(await ended));
          assert.ok(last > began);
          longest = Math.max(longest, last - answered);
        }
        report({
          test: '25',
          name: `a revoked key ends what is open, ${how}`,
          value: `${Math.max(0, Math.round(longest))} ms at most in ${rounds} rounds; ${after} requests accepted after it`,
          limit: `${LIMIT_MILLISECONDS} ms, 0`,
        });
        assert.equal(after, 0);
        assert.ok(longest <= LIMIT_MILLISECONDS, `${longest} ms`);
        if (database === 'sqlite') return;
        const { id: bob } = await command('users', 'create', '--email', 'bob@example.com');
        const bobs = await keyOf('bob@example.com');
        assert.equal((await call(other, 'PATCH', `${SERVERS}/held`, { defaultRole: null })).status, 200);
        const rule = (pattern: string) => ({
          role: 'viewer',
          actorId: null,
          capability: 'tool',
          pattern,
          effect: 'allow',
        });
        const policy = (...rules: object[]) => call(other, 'PUT', `${SERVERS}/held/policy`, { rules });
        const grant = `${SERVERS}/held/grants/${bob}`;
        let slowest = 0;
        for (let round = 0; round < rounds; round++) {
          for (const [methods, end] of [
            [['POST'], () => policy(rule('another'))],
            [['GET', 'POST'], () => call(other, 'DELETE', grant, undefined)],
          ] as const) {
            const before = [await call(other, 'PUT', grant, { role: 'viewer' }), await policy(rule('hold'))];
            for (const { status, text } of before) assert.ok(status < 300, text);
            const streams = await Promise.all(methods.map((method) => hold(holder, method, bobs.secret)));
            const ended = Promise.all(streams.map((one) => one.ended.then(() => performance.now())));
            const { status, text } = await end();
            assert.ok(status < 300, text);
            const answered = performance.now();
            for (let index = 0; index < 20; index++) {
              const refused = hold(holder, 'POST', bobs.secret);
              await assert.rejects(refused, /is answered (403|404)/);
            }
            slowest = Math.max(slowest, Math.max(...(await ended)) - answered);
          }
        }
        report({
          test: '25',
          name: `a changed policy or a removed grant ends what is open, ${how}`,
          value: `${Math.max(0, Math.round(slowest))} ms at most in ${rounds} rounds; 0 requests accepted after it`,
          limit: `${LIMIT_MILLISECONDS} ms, 0`,
        });
        assert.ok(slowest <= LIMIT_MILLISECONDS, `${slowest} ms`);
      } finally {
        await Promise.all([holder.dispose(), other === holder ? undefined : other.dispose()]);
        await upstream.stop();
        await postgres?.stop();
      }
    });
  });
}

/** A stream that has begun. */
function hold({ origin }: FaultServer, method: string, key: string): Promise<{ ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${origin}/servers/default/held/mcp`, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} is answered ${response.statusCode}`));
      response.on('error', () => {});
      response.once('data', () => {
        response.resume();
        resolve({ ended: new Promise((done) => response.once('close', () => done())) });
      });
    });
    request.end(
      method === 'POST'
        ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hold' } })
        : undefined,
    );
  });
}
