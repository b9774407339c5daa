import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { callerWith, cookieOf, joinByInvitation, type PlatformCaller, person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { connect } from '../../../test/support/socket-client.ts';

const workspaces = '/organizations/default/workspaces';

for (const database of databases) {
  describe(`workspaces on ${database}`, () => {
    let server: TestServer;
    let admin: PlatformCaller & { id: string };
    let member: PlatformCaller & { id: string };
    let organizationId: string;
    before(async () => {
      server = await startServer({ database });
      admin = await person(server, 'ada@example.com', 'admin');
      member = await person(server, 'max@example.com', 'member');
      organizationId = (await admin.get('/organizations/default')).body.id;
    });
    after(() => server.stop());

    const create = async (handle: string, more: object = {}) =>
      (await admin.post(workspaces, { name: handle, handle, ...more })).body as { id: string };
    const hosted = (workspaceId: string) => `/api/accounts/${organizationId}/workspaces/${workspaceId}`;
    const call = (key: string | undefined, method: string, url: string, body?: object) =>
      server.request(method, url, body && JSON.stringify(body), {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      });

    test('a new workspace serves the whole API under its hosted address, without data of other workspaces', async () => {
      const [red, blue] = [await create('red'), await create('blue')];
      const made = await call(admin.key, 'POST', `${hosted(red.id)}/flows/`, { name: 'secret-flow' });
      assert.equal(made.status, 201);
      const inRed = await call(admin.key, 'POST', `${hosted(red.id)}/flows/filter`, {});
      assert.deepEqual(
        inRed.body.map(({ name }: { name: string }) => name),
        ['secret-flow'],
      );
      assert.deepEqual((await call(admin.key, 'POST', `${hosted(blue.id)}/flows/filter`, {})).body, []);
      assert.equal((await call(admin.key, 'GET', `${hosted(blue.id)}/flows/${made.body.id}`)).status, 404);
      assert.equal((await server.get(`/flows/${made.body.id}`)).status, 404, 'nor through /api');
    });

    test('a run names its creator: a person, a service account, or no one without authentication', async () => {
      const { id } = await create('makers');
      const account = (
        await admin.post('/organizations/default/service-accounts', { name: `maker-${database}`, role: 'admin' })
      ).body;
      const flow = (await call(admin.key, 'POST', `${hosted(id)}/flows/`, { name: 'made' })).body.id;
      const deployment = (await call(admin.key, 'POST', `${hosted(id)}/deployments/`, { name: 'd', flow_id: flow }))
        .body.id;
      const byPerson = await call(admin.key, 'POST', `${hosted(id)}/flow_runs/`, { flow_id: flow });
      assert.deepEqual(byPerson.body.created_by, { id: admin.id, type: 'USER', display_value: 'ada@example.com' });
      const path = `${hosted(id)}/deployments/${deployment}/create_flow_run`;
      const byProgram = await call(account.secret, 'POST', path, {});
      const maker = { id: account.serviceAccount.id, type: 'BOT', display_value: `maker-${database}` };
      assert.deepEqual(byProgram.body.created_by, maker);
      const filter = { flow_runs: { created_by: { type_: ['BOT'] } } };
      const found = await call(admin.key, 'POST', `${hosted(id)}/flow_runs/filter`, filter);
      assert.deepEqual(
        found.body.map((run: { id: string }) => run.id),
        [byProgram.body.id],
      );
      const open = (await server.post('/flows/', { name: 'made' })).body.id;
      assert.equal((await server.post('/flow_runs/', { flow_id: open })).body.created_by, null);
    });

    test('a worker gets its id from a hosted address on request, the same each time', async () => {
      const { id } = await create('workers');
      await call(admin.key, 'POST', `${hosted(id)}/work_pools/`, { name: 'p', type: 'process' });
      const beat = (more: object) =>
        call(admin.key, 'POST', `${hosted(id)}/work_pools/p/workers/heartbeat`, { name: 'w', ...more });
      const [first, second] = [await beat({ return_id: true }), await beat({ return_id: true })];
      assert.equal(first.status, 200);
      assert.equal(second.text, first.text);
      const [worker] = (await call(admin.key, 'POST', `${hosted(id)}/work_pools/p/workers/filter`, {})).body;
      assert.equal(first.text, worker.id, 'the id alone, without quotes');
      assert.deepEqual([(await beat({})).status, (await beat({ return_id: false })).status], [204, 204]);
      await server.post('/work_pools/', { name: 'p', type: 'process' });
      const elsewhere = await server.post('/work_pools/p/workers/heartbeat', { name: 'w', return_id: true });
      assert.equal(elsewhere.status, 204, 'as the reference');
    });

    test('viewers read, editors change, and callers without a role are refused', async () => {
      const { id } = await create('roles');
      const read = () => call(member.key, 'POST', `${hosted(id)}/flows/filter`, {});
      const write = () => call(member.key, 'POST', `${hosted(id)}/flows/`, { name: 'mine' });
      const configure = () => call(member.key, 'DELETE', `${hosted(id)}/admin/storage`);
      const statuses = async () => [await read(), await write(), await configure()].map(({ status }) => status);
      assert.deepEqual(await statuses(), [403, 403, 403]);
      const grant = `${workspaces}/${id}/grants/${member.id}`;
      for (const [role, expected] of [
        ['viewer', [200, 403, 403]],
        ['editor', [200, 201, 403]],
        ['admin', [200, 200, 204]],
      ] as const) {
        assert.equal((await admin.put(grant, { role })).status, 204);
        assert.deepEqual(await statuses(), expected, role);
        // A member sees at the platform what the grant opens, and changes it as an administrator of it.
        const platform = `/api/v0${workspaces}/${id}`;
        const shown = await call(member.key, 'GET', platform);
        const described = await call(member.key, 'PATCH', platform, { description: role });
        const seen = [shown.status, described.status];
        assert.deepEqual(seen, [200, role === 'admin' ? 200 : 403], role);
      }
      assert.equal((await admin.delete(grant)).status, 204);
      assert.deepEqual(await statuses(), [403, 403, 403]);
    });

    test('an explicit role overrides the default role, also when it is lower', async () => {
      const { id } = await create('defaults', { defaultRole: 'editor' });
      const write = () => call(member.key, 'POST', `${hosted(id)}/flows/`, { name: 'mine' });
      assert.equal((await write()).status, 201);
      await admin.put(`${workspaces}/${id}/grants/${member.id}`, { role: 'viewer' });
      assert.equal((await write()).status, 403);
    });

    test('an id or a slug names the organization and the workspace, over HTTP, on sockets and for a session', async () => {
      const { id } = await create('named');
      await member.post('/organizations', { name: 'Names', slug: `names-${database}` });
      await member.post(`/organizations/names-${database}/workspaces`, { name: 'named', handle: 'named' });
      const joined = await joinByInvitation(server, admin, `eve-${database}@example.com`, 'a long password 1', 'admin');
      const session = { cookie: cookieOf(joined) };
      const sockets = (await server.listen()).replace(/\/api$/, '');
      const names = [organizationId, organizationId.toUpperCase(), 'default'].flatMap((organization) =>
        [id, id.toUpperCase(), 'named'].map((workspace) => `/api/accounts/${organization}/workspaces/${workspace}`),
      );
      for (const [number, base] of names.entries()) {
        const made = await call(admin.key, 'POST', `${base}/flows/`, { name: `flow ${number}` });
        assert.equal(made.status, 201, base);
        const read = await server.request('GET', `${hosted(id)}/flows/${made.body.id}`, undefined, session);
        assert.equal(read.body.name, `flow ${number}`);
        assert.equal((await server.request('GET', `${base}/flows/${made.body.id}`, undefined, session)).status, 200);
        assert.equal((await call(undefined, 'GET', `${base}/flows/${made.body.id}`)).status, 401, base);
        assert.equal((await call(member.key, 'GET', `${base}/flows/${made.body.id}`)).status, 403, base);
        const client = await connect(`${sockets}${base}/events/out`, { token: admin.key });
        client.close();
        const [, , , organization, , workspace] = base.split('/');
        const access = await admin.get(`/me/access?organization=${organization}&workspace=${workspace}`);
        assert.equal(access.body.workspaceId, id, base);
      }
      const unknown = (await call(admin.key, 'GET', `/api/accounts/default/workspaces/nothing/flows/`)).text;
      for (const name of [
        `names-${database}/workspaces/named`,
        `names-${database}/workspaces/${id}`,
        'Default/workspaces/named',
      ]) {
        const { status, text } = await call(admin.key, 'GET', `/api/accounts/${name}/flows/`);
        assert.deepEqual([status, text], [404, unknown], name);
      }
      assert.equal((await admin.patch(`${workspaces}/${id}`, { handle: 'renamed' })).status, 200);
      const statusAt = async (name: string) =>
        (await call(admin.key, 'GET', `/api/accounts/default/workspaces/${name}/version`)).status;
      assert.deepEqual([await statusAt('named'), await statusAt('renamed'), await statusAt(id)], [404, 200, 200]);
    });

    test('the ids of another organization look like unknown ones', async () => {
      await member.post('/organizations', { name: 'Other', slug: `other-${database}` });
      const other = (await member.get(`/organizations/other-${database}`)).body.id;
      const theirs = (await member.post(`/organizations/${other}/workspaces`, { name: 'x', handle: 'x' })).body.id;
      const answers = await Promise.all([
        call(admin.key, 'GET', `/api/accounts/${other}/workspaces/${theirs}/flows/`),
        call(admin.key, 'GET', `/api/accounts/${organizationId}/workspaces/${theirs}/flows/`),
        call(admin.key, 'GET', `/api/accounts/${other}/workspaces/${crypto.randomUUID()}/flows/`),
        call(admin.key, 'GET', '/api/accounts/nobody/workspaces/nothing/flows/'),
      ]);
      for (const { status, text } of answers) assert.deepEqual([status, text], [404, answers[0]?.text]);
    });

    test('a hosted address always requires a key, also in the open mode and on public routes', async () => {
      const { id } = await create('guarded');
      for (const path of ['/flows/', '/health', '/version', '/nothing', '/flows', '/openapi.json']) {
        assert.equal((await call(undefined, 'GET', hosted(id) + path)).status, 401, path);
      }
      assert.equal((await call(admin.key, 'GET', `${hosted(id)}/health`)).status, 200);
    });

    test('addresses in answers lead back into the workspace', async () => {
      const { id } = await create('paged');
      const resource = { 'prefect.resource.id': 'test.paged' };
      const events = Array.from({ length: 3 }, (_, index) => ({
        id: crypto.randomUUID(),
        occurred: new Date(Date.now() - index * 1000).toISOString(),
        event: 'test.paged',
        resource,
      }));
      assert.equal((await call(admin.key, 'POST', `${hosted(id)}/events`, events)).status, 204);
      const body = { filter: { event: { name: ['test.paged'] } }, limit: 2 };
      const first = (await call(admin.key, 'POST', `${hosted(id)}/events/filter`, body)).body;
      const { pathname, search } = new URL(first.next_page);
      assert.ok(pathname.startsWith(hosted(id)), pathname);
      const second = (await call(admin.key, 'GET', pathname + search)).body;
      assert.deepEqual([first.events.length, second.events.length], [2, 1]);
    });

    test('a grant names a service account of the organization too', async () => {
      const { id } = await create('granted');
      const account = (await admin.post('/organizations/default/service-accounts', { name: `bot-${database}` })).body;
      const grants = `${workspaces}/${id}/grants`;
      assert.equal((await admin.put(`${grants}/${account.serviceAccount.id}`, { role: 'editor' })).status, 204);
      const [listed] = (await admin.get(grants)).body.items;
      assert.deepEqual(
        { type: listed.actorType, name: listed.actorName, role: listed.role },
        { type: 'service_account', name: `bot-${database}`, role: 'editor' },
      );
      const bot = callerWith(server, account.secret);
      assert.equal((await call(bot.key, 'POST', `${hosted(id)}/flows/`, { name: 'by-bot' })).status, 201);
      assert.equal((await bot.get(grants)).status, 403);
    });

    test('a removed member loses role and grants at the next request, and a new membership restores no grant', async () => {
      const leaver = await person(server, `leaver-${database}@example.com`, 'member');
      const { id } = await create('left');
      await admin.put(`${workspaces}/${id}/grants/${leaver.id}`, { role: 'admin' });
      const read = () => call(leaver.key, 'GET', `${hosted(id)}/flows/`);
      assert.equal((await read()).status, 200);
      assert.equal((await admin.delete(`/organizations/default/members/${leaver.id}`)).status, 204);
      assert.equal((await read()).status, 404);
      await person(server, `leaver-${database}@example.com`, 'member');
      assert.equal((await read()).status, 403);
    });

    test('the last administrator cannot leave or be demoted, also under concurrent requests', async () => {
      const slug = `pair-${database}`;
      await admin.post('/organizations', { name: 'Pair', slug });
      const second = await person(server, `second-${database}@example.com`, 'admin', slug);
      const members = `/organizations/${slug}/members`;
      const answers = await Promise.all([
        admin.patch(`${members}/${second.id}`, { role: 'member' }),
        second.delete(`${members}/${admin.id}`),
      ]);
      const administrators = (await admin.get(members)).body.items ?? (await second.get(members)).body.items;
      assert.equal(administrators.filter(({ role }: { role: string }) => role === 'admin').length, 1);
      assert.ok(answers.some(({ status }) => status >= 400));
    });

    test('workspaces are made at the same time, and the one behind /api cannot be deleted', async () => {
      const mine = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(`at-once-${name}`)));
      assert.equal(new Set(mine.map(({ id }) => id)).size, 4);
      const all = (await admin.get(`${workspaces}?limit=200`)).body.items;
      const standard = all.find(({ handle }: { handle: string }) => handle === 'default');
      assert.equal((await admin.delete(`${workspaces}/${standard.id}`)).body.error.code, 'default_workspace');
      assert.equal((await admin.delete(`${workspaces}/${mine[0]?.id}`)).status, 204);
      assert.equal((await call(admin.key, 'GET', `${hosted(mine[0]?.id ?? '')}/flows/`)).status, 404);
    });

    test('no data of a deleted workspace appears in a later one', async () => {
      const { id } = await create('gone');
      const gone = hosted(id);
      const now = server.server.clock.now();
      const event = { id: randomUUID(), occurred: now, event: 'left', resource: { 'prefect.resource.id': 'left' } };
      const log = { name: 'left', level: 20, message: 'left', timestamp: now };
      const left: [string, object][] = [
        ['/variables/', { name: 'left', value: 'hush-hush' }],
        ['/artifacts/', { key: 'left', type: 'markdown', data: 'hush-hush' }],
        ['/logs/', [log] as object],
        ['/events', [event] as object],
      ];
      for (const [path, body] of left) {
        const { status, text } = await call(admin.key, 'POST', gone + path, body);
        assert.ok(status < 300, `${path}: ${text}`);
      }
      assert.equal(
        (await call(admin.key, 'PUT', `${gone}/saved_searches/`, { name: 'left', filters: [] })).status,
        201,
      );
      assert.equal((await call(admin.key, 'POST', `${gone}/variables/filter`, {})).body.length, 1);
      assert.equal((await admin.delete(`${workspaces}/${id}`)).status, 204);
      const next = hosted((await create('next')).id);
      for (const resource of ['variables', 'artifacts', 'artifacts/latest', 'saved_searches', 'logs']) {
        assert.deepEqual((await call(admin.key, 'POST', `${next}/${resource}/filter`, {})).body, [], resource);
      }
      assert.deepEqual((await call(admin.key, 'POST', `${next}/events/filter`, {})).body.events, []);
      assert.equal((await call(admin.key, 'POST', `${next}/flow_runs/count`, {})).body, 0);
    });
  });
}
