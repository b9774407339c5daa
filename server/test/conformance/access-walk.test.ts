/** Sends requests of every kind of caller to every route and socket: a forgotten route lets no caller in. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { accountRoutes, pages, platformRoutes, routes, sockets } from '../../src/app.ts';
import type { Permission } from '../../src/identity/access/permissions.ts';
import { newApiKey } from '../../src/identity/keys/api-keys.ts';
import { type PlatformCaller, person } from '../support/platform.ts';
import { startServer, type TestServer } from '../support/server.ts';

const callers = [
  'nobody',
  'a broken key',
  'an unknown key',
  'another organization',
  'a removed member',
  'a member without a role',
  'a suspended service account',
  'a viewer',
  'an editor',
  'an admin of the workspace',
] as const;
type Caller = (typeof callers)[number];

/** The status that refuses, or undefined for an admitted caller. */
function refusalOf(caller: Caller, permission: Permission): number | undefined {
  switch (caller) {
    case 'nobody':
    case 'a broken key':
    case 'an unknown key':
      return 401;
    case 'another organization':
    case 'a removed member':
      return 404;
    case 'a member without a role':
    case 'a suspended service account':
      return 403;
    case 'a viewer':
      return permission.endsWith(':write') ? 403 : undefined;
    case 'an editor':
      return permission === 'settings:write' ? 403 : undefined;
    case 'an admin of the workspace':
      return undefined;
  }
}

/** What the refusal says: how to be let in, and nothing to those who may not know that the workspace exists. */
function told(caller: Caller, permission: Permission): RegExp {
  switch (refusalOf(caller, permission)) {
    case 401:
      return /^\{"exception_message":"Unauthorized\. .*PREFECT_API_KEY.*Authorization: Bearer/;
    case 404:
      return /^\{"detail":"Not Found"\}$/;
    default:
      return caller === 'a suspended service account'
        ? /^\{"detail":"This service account is suspended\."\}$/
        : new RegExp(`^{"detail":"Forbidden\\. ${permission} requires the role .*; you have (none|viewer|editor)\\. `);
  }
}

describe('every route and socket of a workspace', () => {
  let server: TestServer;
  let hosted: string;
  let socketsUrl: string;
  let adminKey: string;
  const keys = {} as Record<Caller, string | undefined>;
  before(async () => {
    server = await startServer();
    const admin = await person(server, 'ada@example.com', 'admin');
    adminKey = admin.key;
    const organization = (await admin.get('/organizations/default')).body.id;
    const workspace = (await admin.post('/organizations/default/workspaces', { name: 'w', handle: 'w' })).body.id;
    hosted = `/api/accounts/${organization}/workspaces/${workspace}`;
    const grants = `/organizations/default/workspaces/${workspace}/grants`;
    const member = async (email: string, role?: string): Promise<PlatformCaller & { id: string }> => {
      const made = await person(server, email, 'member');
      if (role) await admin.put(`${grants}/${made.id}`, { role });
      return made;
    };
    const stranger = await person(server, 'stranger@example.com', 'member');
    await stranger.post('/organizations', { name: 'Elsewhere', slug: 'elsewhere' });
    const removed = await member('removed@example.com', 'admin');
    await admin.delete(`/organizations/default/members/${stranger.id}`);
    await admin.delete(`/organizations/default/members/${removed.id}`);
    const account = (await admin.post('/organizations/default/service-accounts', { name: 'bot', role: 'admin' })).body;
    await admin.post(`/organizations/default/service-accounts/${account.serviceAccount.id}/suspend`);
    Object.assign(keys, {
      nobody: undefined,
      'a broken key': 'sbx_broken',
      'an unknown key': newApiKey().secret,
      'another organization': stranger.key,
      'a removed member': removed.key,
      'a member without a role': (await member('none@example.com')).key,
      'a suspended service account': account.secret,
      'a viewer': (await member('viewer@example.com', 'viewer')).key,
      'an editor': (await member('editor@example.com', 'editor')).key,
      'an admin of the workspace': (await member('admin@example.com', 'admin')).key,
    });
    socketsUrl = (await server.listen()).replace(/\/api$/, hosted);
  });
  after(() => server.stop());

  const fill = (path: string, parameters: Readonly<Record<string, unknown>> = {}) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => (parameters[name] === 'text' ? 'x' : crypto.randomUUID()));

  for (const caller of callers) {
    test(`called by ${caller}`, async () => {
      const key = keys[caller];
      const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
      for (const { method, path, parameters, permission } of routes) {
        const url = hosted + fill(path, parameters);
        const body = method === 'GET' || method === 'DELETE' ? undefined : 'no JSON';
        const { status, text } = await server.request(method, url, body, authorization);
        const refusal = refusalOf(caller, permission);
        const name = `${method} ${path} (${permission}): ${status} ${text.slice(0, 80)}`;
        if (refusal !== undefined) {
          assert.equal(status, refusal, name);
          assert.match(text, told(caller, permission), name);
        } else assert.ok(status !== 401 && status < 500 && !(status === 403 && text.includes('"Forbidden. ')), name);
      }
      for (const { path, permission } of sockets) {
        const socket = new WebSocket(socketsUrl + fill(path), 'prefect', { headers: authorization });
        const outcome = await once(socket, 'open').then(
          () => 'open',
          (error: Error) => error.message,
        );
        const refusal = refusalOf(caller, permission);
        if (caller === 'nobody') {
          // Without a key, the first frame has to identify the caller.
          socket.send('{"type": "auth", "token": null}');
          assert.equal((await once(socket, 'close'))[0], 1008, path);
        } else if (refusal === undefined) assert.equal(outcome, 'open', path);
        else assert.match(outcome, new RegExp(`${refusal}`), path);
        socket.terminate();
      }
    });
  }

  test('each platform route refuses callers without a credential, except routes that issue one or show what anyone may do', async () => {
    const open = new Set([
      'GET /me/access',
      'POST /session',
      'POST /invitations/{token}/accept',
      'POST /oauth/device/authorization',
      'POST /oauth/device/token',
    ]);
    for (const { method, path, access, parameters } of [...platformRoutes, ...accountRoutes]) {
      const prefix = accountRoutes.some((route) => route.path === path) ? '/api' : '/api/v0';
      const { status } = await server.request(method, prefix + fill(path, parameters));
      if (open.has(`${method} ${path}`)) assert.equal(access, 'public', path);
      else assert.equal(status, 401, `${method} ${path}`);
    }
  });

  test('below an organization, a stranger gets the same refusal whether it exists or not', async () => {
    const stranger = keys['another organization'];
    const own = { authorization: `Bearer ${stranger}` };
    const organizations = (await server.request('GET', '/api/v0/organizations/default', undefined, {
      authorization: `Bearer ${adminKey}`,
    })) as { body: { id: string } };
    const walked = platformRoutes.filter(({ access }) => access.startsWith('organization:'));
    assert.ok(walked.length > 40);
    for (const { method, path, parameters } of walked) {
      const rest = fill(path.replace('{org}', '@'), parameters);
      const answers = [];
      for (const name of ['default', organizations.body.id, 'no-such', crypto.randomUUID(), 'x'.repeat(90)]) {
        const { status, headers, text } = await server.request(method, `/api/v0${rest.replace('@', name)}`, '{', own);
        const { date: _, 'x-request-id': __, ...telling } = headers;
        answers.push({ status, text, headers: telling });
      }
      assert.equal(answers[0]?.status, 403, `${method} ${path}: ${answers[0]?.text}`);
      for (const answer of answers) assert.deepEqual(answer, answers[0], `${method} ${path}`);
    }
  });

  test('each page except those of sign-in asks for sign-in, and no key gives access to one', async () => {
    const open = new Set([
      'GET /setup',
      'POST /setup',
      'GET /sign-in',
      'POST /sign-in',
      'GET /forgotten-password',
      'POST /forgotten-password',
      'GET /forgotten-password/{token}',
      'POST /forgotten-password/{token}',
      'POST /sign-out',
      'GET /sign-in/oidc',
      'GET /sign-in/oidc/callback',
      'GET /invitations/{token}',
      'POST /invitations/{token}',
    ]);
    const authorization = `Bearer ${keys['an admin of the workspace']}`;
    for (const { method, path, access } of pages) {
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
      const body = method === 'POST' ? '' : undefined;
      const { status, headers } = await server.request(method, fill(path), body, { ...form, authorization });
      const name = `${method} ${path}`;
      assert.doesNotMatch(String(headers['set-cookie'] ?? ''), /signalbox_session=[^;]/, name);
      if (open.has(name)) assert.notEqual(access, 'session', name);
      else assert.match(`${status} ${headers['location']}`, /^303 \/sign-in\?next=/, name);
    }
  });
});
