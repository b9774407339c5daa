/** Sends a thousand secrets through every field and header that takes one: the server repeats none of them. */

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import { accountRoutes, platformRoutes, routes, sockets } from '../../../src/app.ts';
import { networksOf } from '../../../src/network/networks.ts';
import { Actions } from '../../../src/services/actions.ts';
import { Triggers } from '../../../src/services/triggers.ts';
import { newId } from '../../../src/values/id.ts';
import { startHttpTarget } from '../../support/http-target.ts';
import { type PlatformCaller, person } from '../../support/platform.ts';
import { type Answer, databases, startServer, type TestServer } from '../../support/server.ts';
import { Canaries } from './canaries.ts';

const json = { 'content-type': 'application/json' };

for (const database of databases) {
  describe(`secrets on ${database}`, () => {
    const canaries = new Canaries();
    let server: TestServer;
    let admin: PlatformCaller;
    let hosted: string;
    before(async () => {
      const apiAuthString = `admin:${canaries.mint()}`;
      const allowedPrivateNetworks = networksOf('127.0.0.0/8, ::1')!;
      const config = {
        allowedPrivateNetworks,
        apiAuthString,
        encryptionKey: Buffer.alloc(32, canaries.mint()).toString('base64'),
      };
      canaries.adopt(config.encryptionKey);
      server = await startServer({ database, config, onLogLine: (line) => canaries.logged(line) });
      admin = await person(server, 'ada@example.com', 'admin');
      canaries.adopt(admin.key);
      const [workspace] = (await admin.get('/organizations/default/workspaces')).body.items;
      hosted = `/api/accounts/${workspace.organizationId}/workspaces/${workspace.id}`;
    });
    after(() => server.stop());

    /** Sends a request and records its refusal. */
    const send = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await server.request(method, url, text, body === undefined ? headers : { ...json, ...headers });
      if (answer.status >= 400) canaries.answered(`${method} ${url.split('?')[0]?.slice(0, 60)}`, answer);
      return answer;
    };
    const owner = () => ({ authorization: `Bearer ${admin.key}` });
    const fill = (path: string) => path.replaceAll(/\{\w+\}/g, () => newId());
    const everyRoute = () => [
      ...routes.map(({ method, path }) => [method, hosted + fill(path)] as const),
      ...routes.map(({ method, path }) => [method, `/api${fill(path)}`] as const),
      ...platformRoutes.map(({ method, path }) => [method, `/api/v0${fill(path)}`] as const),
      ...accountRoutes.map(({ method, path }) => [method, `/api${fill(path)}`] as const),
    ];

    test('credentials in headers, cookies and query strings of every route', async () => {
      for (const [index, [method, url]] of everyRoute().entries()) {
        const secret = canaries.mint();
        const headers: Record<string, string> | undefined = [
          { authorization: `Bearer ${secret}` },
          { authorization: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}` },
          { authorization: secret },
          { cookie: `signalbox_session=${secret}` },
          { 'x-csrf-token': secret, 'x-api-key': secret },
        ][index % 5];
        await send(method, `${url}?api_key=${canaries.mint()}&token=${canaries.mint()}`, undefined, headers);
      }
    });

    test('passwords, sessions, CSRF tokens, invitations, devices and keys', async () => {
      for (const wrong of [{ password: 7 }, { password: canaries.mint().repeat(40) }, {}, { extra: canaries.mint() }]) {
        await send('POST', '/api/v0/session', { email: 'ada@example.com', unknown: canaries.mint(), ...wrong });
        await send('POST', '/api/v0/session', `{"email": "x", "password": "${canaries.mint()}`);
        await send('POST', '/api/v0/session', canaries.mint());
      }
      for (let index = 0; index < 10; index++) {
        await send('POST', '/api/v0/session', { email: `x${index % 2}@example.com`, password: canaries.mint() });
        const token = canaries.mint();
        await send('POST', `/api/v0/invitations/${token}/accept`, { password: canaries.mint().slice(0, 11) });
        await send('POST', `/api/v0/invitations/${token}/accept`, { password: { secret: canaries.mint() } });
        const grant = `grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=x&device_code=${canaries.mint()}`;
        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        await send('POST', '/api/v0/oauth/device/token', grant, form);
        await send('POST', '/api/v0/oauth/device/token', `device_code=${canaries.mint()}`, form);
      }
      const invited = (await admin.post('/organizations/default/invitations', { email: 'max@example.com' })).body;
      const password = canaries.mint();
      const joined = await send('POST', `/api/v0/invitations/${canaries.adopt(invited.token)}/accept`, { password });
      const cookie = String(joined.headers['set-cookie']).split(';')[0] ?? '';
      canaries.adopt(cookie.split('=')[1] ?? '');
      const browser = { cookie, 'x-csrf-token': canaries.adopt(joined.body.csrfToken) };
      await send('POST', '/api/v0/me/api-keys', { descriptor: 'x' }, { cookie, 'x-csrf-token': canaries.mint() });
      const key = (await send('POST', '/api/v0/me/api-keys', { descriptor: 'mine' }, browser)).body;
      const revoked = { authorization: `Bearer ${canaries.adopt(key.secret)}` };
      await send('DELETE', '/api/v0/me/api-key', undefined, revoked);
      for (const [method, url] of everyRoute().slice(0, 60)) await send(method, url, undefined, revoked);
      const device = (
        await send('POST', '/api/v0/oauth/device/authorization', 'client_id=x', {
          'content-type': 'application/x-www-form-urlencoded',
        })
      ).body;
      canaries.adopt(device.device_code);
      await send('POST', '/api/v0/oauth/device', { userCode: device.user_code, approve: true }, browser);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const grant = `grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=x&device_code=${device.device_code}`;
      canaries.adopt((await send('POST', '/api/v0/oauth/device/token', grant, form)).body.access_token);
      for (let index = 0; index < 3; index++) {
        const account = await admin.post('/organizations/default/service-accounts', { name: `bot-${index}` });
        canaries.adopt(account.body.secret);
      }
      await send('DELETE', '/api/v0/session', undefined, browser);
    });

    test('secret fields of every block type, stored, refused and read', async () => {
      const schemas = (await send('POST', `${hosted}/block_schemas/filter`, { limit: 200 }, owner())).body;
      const documents = `${hosted}/block_documents/`;
      for (const schema of schemas) {
        const paths = (schema.fields.secret_fields ?? []) as string[];
        const data = {};
        for (const path of paths) setAt(data, path.split('.'), canaries.mint());
        const block = { block_type_id: schema.block_type_id, block_schema_id: schema.id };
        const given = { ...block, name: `block-${schema.id}`, data };
        const made = await send('POST', documents, given, owner());
        assert.equal(made.status, 201, made.text);
        canaries.answered('a block as it is answered', made);
        await send('POST', documents, given, owner());
        await send('POST', documents, { ...given, data: canaries.mint() }, owner());
        await send('POST', documents, { ...given, name: 'a/b', data: { token: canaries.mint() } }, owner());
        await send('POST', documents, { data: { token: canaries.mint() } }, owner());
        await send('POST', documents, `{"data": {"token": "${canaries.mint()}"`, owner());
        await send('POST', documents, { ...given, unknown: canaries.mint() }, owner());
        const one = `${documents}${made.body.id}`;
        for (const path of paths) setAt(data, path.split('.'), canaries.mint());
        assert.equal((await send('PATCH', one, { data }, owner())).status, 204);
        await send('PATCH', one, { data: [canaries.mint()] }, owner());
        await send('PATCH', `${documents}${newId()}`, { data }, owner());
        await send('PATCH', one, { block_schema_id: newId(), data }, owner());
      }
    });

    test('targets of webhooks and notifications, with any answer', async () => {
      const target = await startHttpTarget();
      const types = (await send('POST', `${hosted}/block_types/filter`, {}, owner())).body;
      for (const path of ['', '500/', 'nowhere:1/']) {
        const secret = canaries.mint();
        const url =
          path === 'nowhere:1/'
            ? `http://127.0.0.1:1/${secret}`
            : `${target.url}/${path}${secret}?k=${canaries.mint()}`;
        const data = { method: 'POST', url, headers: { 'x-key': canaries.mint() } };
        const type = types.find(({ slug }: { slug: string }) => slug === 'webhook');
        const filter = { block_schemas: { block_type_id: { any_: [type.id] } } };
        const [schema] = (await send('POST', `${hosted}/block_schemas/filter`, filter, owner())).body;
        const block = { name: `hook-${newId()}`, data, block_type_id: type.id, block_schema_id: schema.id };
        const { id } = (await send('POST', `${hosted}/block_documents/`, block, owner())).body;
        const event = `go.${newId()}`;
        const automation = {
          name: 'caller',
          trigger: { type: 'event', posture: 'Reactive', expect: [event], threshold: 1, within: 0 },
          actions: [{ type: 'call-webhook', block_document_id: id, payload: '{{ event.event }}' }],
        };
        assert.equal((await send('POST', `${hosted}/automations/`, automation, owner())).status, 201);
        const resource = { 'prefect.resource.id': 'thing.1' };
        const events = [{ id: newId(), occurred: server.context().now, event, resource }];
        await send('POST', `${hosted}/events`, events, owner());
        await new Triggers().runOnce(server.context());
        const actions = new Actions(server.server);
        await actions.runOnce(server.context());
        await actions.settled();
      }
      target.stop();
      assert.equal(target.received.length, 2);
    });

    test('sockets, headers that are too large, and a database that fails midway', async () => {
      const address = await server.listen();
      for (const { path } of sockets) {
        const socket = new WebSocket(
          `${address.replace(/\/api$/, hosted)}${fill(path)}?key=${canaries.mint()}`,
          'prefect',
        );
        socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', token: canaries.mint() })));
        const [code, reason] = await new Promise<[number, string]>((resolve) => {
          socket.on('close', (status, text) => resolve([status, String(text)]));
          socket.on('error', (error) => resolve([0, String(error)]));
        });
        canaries.answered(`socket ${path}`, { status: code, headers: {}, text: reason, body: undefined });
      }
      for (const head of [
        `GET ${hosted}/flows/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${canaries.mint()}${'x'.repeat(40_000)}\r\n\r\n`,
        `GET ${hosted}/flows/ HTTP/1.1\r\nHost: x\r\nAuthorization : Bearer ${canaries.mint()}\r\n\r\n`,
        `GET /%zz?key=${canaries.mint()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        `${canaries.mint()}\r\n\r\n`,
      ]) {
        const text = await exchange(Number(new URL(address).port), head);
        canaries.answered('a raw request', { status: 400, headers: {}, text, body: undefined });
      }
      const late = (await admin.post('/organizations/default/invitations', { email: 'late@example.com' })).body;
      await failWritesOf(server, database, ['block_document', 'flow_run', 'invitation', 'session', 'api_key']);
      const { token } =
        (await admin.post('/organizations/default/invitations', { email: 'eve@example.com' })).body ?? {};
      assert.equal(token, undefined);
      const parameters = { password: canaries.mint() };
      const flow = (await send('POST', `${hosted}/flows/`, { name: 'f' }, owner())).body.id;
      const broken = [
        await send('POST', `${hosted}/flow_runs/`, { flow_id: flow, parameters }, owner()),
        await send('POST', `/api/v0/invitations/${canaries.adopt(late.token)}/accept`, { password: canaries.mint() }),
        await send('POST', '/api/v0/organizations/default/service-accounts', { name: 'broken' }, owner()),
      ];
      const [schema] = (await send('POST', `${hosted}/block_schemas/filter`, {}, owner())).body;
      const block = { block_type_id: schema.block_type_id, block_schema_id: schema.id, name: 'broken' };
      broken.push(
        await send('POST', `${hosted}/block_documents/`, { ...block, data: { x: canaries.mint() } }, owner()),
      );
      // On SQLite a run that was not written shows as a missing parent of its state.
      const [run, ...others] = broken;
      assert.ok(run?.status === 500 || run?.status === 409, run?.text ?? '');
      for (const { status, text } of others) assert.equal(status, 500, text);
      assert.ok(canaries.logLines >= others.length);
    });

    test('no secret is in a log, a refusal, a list, an event, the audit or an export', async () => {
      assert.ok(canaries.count >= 1000, `${canaries.count} secrets`);
      const lists: [string, string, unknown?][] = routes
        .filter(({ path }) => !path.includes('{'))
        .flatMap(({ method, path }): [string, string, unknown?][] =>
          method === 'GET'
            ? [[method, hosted + path]]
            : /filter$|paginate$/.test(path)
              ? [[method, hosted + path, {}]]
              : [],
        );
      for (const { method, path } of platformRoutes) {
        if (method === 'GET') lists.push([method, `/api/v0${path.replace('{org}', 'default')}?limit=200`]);
      }
      lists.push(['GET', '/metrics'], ['GET', '/'], ['GET', '/openapi.json'], ['GET', '/api/admin/settings']);
      for (const [method, url, body] of lists)
        canaries.answered(`${method} ${url}`, await send(method, url, body, owner()));
      const audit: Answer = await admin.get('/organizations/default/audit/export');
      canaries.answered('export of the audit', audit);
      assert.ok(audit.text.length > 1000);
      assert.deepEqual(canaries.leaks(), []);
    });
  });
}

function setAt(data: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  const key = name === '*' ? 'any' : name;
  data[key] = rest.length === 0 ? value : (data[key] ?? {});
  if (rest.length > 0) setAt(data[key] as Record<string, unknown>, rest, value);
}

/** The answer of a server to these bytes until it closes. */
function exchange(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

/** From now on the database refuses every new row of these tables, with its own message. */
async function failWritesOf({ server }: TestServer, database: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const statement =
      database === 'postgres'
        ? `alter table "${table}" add constraint refused_${table} check (false) not valid /* "workspace" */`
        : `create trigger refused_${table} before insert on "${table}" begin select * from missing_table; end /* "workspace" */`;
    await server.store.transaction(0, (tx) => tx.execute(sql.raw(statement)));
  }
}
