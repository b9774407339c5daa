import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PlatformCaller, person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const audit = '/organizations/default/audit';

interface Entry {
  readonly id: string;
  readonly occurredAt: string;
  readonly action: string;
  readonly actorName: string;
  readonly targetName: string | null;
  readonly targetId: string;
}

for (const database of databases) {
  describe(`the audit on ${database}`, () => {
    let server: TestServer;
    let ada: PlatformCaller & { id: string };
    let max: PlatformCaller & { id: string };
    before(async () => {
      server = await startServer({ database });
      ada = await person(server, 'ada@example.com', 'admin');
      max = await person(server, 'max@example.com', 'admin');
      await ada.post('/organizations/default/workspaces', { name: 'Red, "hot"', handle: 'red' });
      await ada.post('/organizations/default/service-accounts', { name: '=ci' });
      await max.post('/organizations/default/workspaces', { name: 'Blue', handle: 'blue' });
      await max.put(`/organizations/default/workspaces/${await idOf('Blue')}/grants/${ada.id}`, { role: 'viewer' });
    });
    after(() => server.stop());

    const idOf = async (name: string) =>
      ((await ada.get('/organizations/default/workspaces')).body.items as { id: string; name: string }[]).find(
        (one) => one.name === name,
      )?.id;
    const list = async (query: Record<string, string>) =>
      (await ada.get(`${audit}?${new URLSearchParams(query)}`)).body.items as Entry[];
    const actions = async (query: Record<string, string>) => (await list(query)).map(({ action }) => action);

    test('entries are found by actor, action, target and time', async () => {
      assert.deepEqual(await actions({ actor: 'MAX@' }), ['grant.set', 'workspace.create']);
      assert.deepEqual(await actions({ actor: max.id }), ['grant.set', 'workspace.create']);
      assert.deepEqual(await actions({ action: 'workspace' }), ['workspace.create', 'workspace.create']);
      assert.deepEqual(await actions({ action: 'workspace.create', actor: ada.id }), ['workspace.create']);
      assert.deepEqual(await actions({ action: 'work' }), []);
      assert.deepEqual(await actions({ target: 'blue' }), ['grant.set', 'workspace.create']);
      const [grant, blue] = await list({ target: 'blue' });
      assert.deepEqual(await actions({ target: grant?.targetId.toUpperCase() ?? '' }), [
        'grant.set',
        'workspace.create',
      ]);
      assert.deepEqual(await actions({ since: '2100-01-01T00:00:00Z' }), []);
      assert.deepEqual(await actions({ until: '2000-01-01T00:00:00Z' }), []);
      // Each entry is of its own time, also where its id is of the same millisecond.
      const entries = await list({});
      for (const { occurredAt, id } of entries) {
        assert.ok((await list({ since: occurredAt })).some((one) => one.id === id));
        assert.ok(!(await list({ until: occurredAt })).some((one) => one.id === id));
      }
      assert.equal((await list({ since: blue?.occurredAt ?? '', target: 'blue' })).length, 2);
      assert.equal((await ada.get(`${audit}?since=yesterday`)).status, 422);
    });

    test('conditions select by actor, action and target, and values are suggested', async () => {
      const found = (...where: object[]) => actions({ where: JSON.stringify(where) });
      assert.deepEqual(await found({ field: 'actor', values: [max.id] }), ['grant.set', 'workspace.create']);
      const both = { field: 'action', values: ['workspace', 'grant.set'] };
      const notMax = { field: 'actor', not: true, values: ['MAX@'] };
      assert.deepEqual(await found(both, notMax), ['workspace.create']);
      assert.deepEqual(await found({ field: 'target', values: ['blue'] }), ['grant.set', 'workspace.create']);
      const values = async (query: Record<string, string>) =>
        (await ada.get(`${audit}/values?${new URLSearchParams(query)}`)).body.values;
      const where = JSON.stringify([notMax, { field: 'action', values: ['grant'] }]);
      assert.deepEqual(await values({ field: 'action', text: 'WORKSPACE', where }), [
        { value: 'workspace.create', label: 'workspace.create', count: 1 },
      ]);
      assert.deepEqual(await values({ field: 'actor', text: 'max', since: '2000-01-01T00:00:00Z' }), [
        { value: max.id, label: 'max@example.com', count: 2 },
      ]);
      assert.deepEqual(await values({ field: 'target', until: '2000-01-01T00:00:00Z' }), []);
      assert.equal((await values({ field: 'target', text: 'blue' }))[0].label, 'Blue');
      assert.equal((await ada.get(`${audit}?where=[{"field":"key","values":["a"]}]`)).status, 422);
      assert.equal((await ada.get(`${audit}/values?field=address`)).status, 422);
    });

    test('a filtered list continues page by page', async () => {
      const first = (await ada.get(`${audit}?action=workspace&limit=1`)).body;
      assert.equal(first.items[0].targetName, 'Blue');
      const second = (await ada.get(`${audit}?action=workspace&limit=1&cursor=${first.meta.nextCursor}`)).body;
      assert.equal(second.items[0].targetName, 'Red, "hot"');
      assert.equal(second.meta.nextCursor, null);
    });

    test('the export has the same entries, as JSON lines and as cells without formulas', async () => {
      const lines = (await ada.get(`${audit}/export?action=workspace`)).text.trim().split('\n');
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as Entry).targetName),
        ['Blue', 'Red, "hot"'],
      );
      const csv = await ada.get(`${audit}/export?format=csv`);
      assert.match(String(csv.headers['content-type']), /^text\/csv/);
      const [head, ...rows] = csv.text.trim().split('\r\n');
      assert.equal(
        head,
        'id,occurredAt,actorType,actorId,actorName,action,targetType,targetId,targetName,address,details',
      );
      assert.equal(rows.length, (await list({ limit: '200' })).length);
      assert.ok(csv.text.includes(',"Red, ""hot""",'));
      assert.ok(csv.text.includes(",'=ci,"), 'a formula stays text');
    });

    test('a member cannot read it', async () => {
      const eve = await person(server, 'eve@example.com', 'member');
      assert.equal((await eve.get(audit)).status, 403);
      assert.equal((await eve.get(`${audit}/export?format=csv`)).status, 403);
      assert.equal((await eve.get(`${audit}/values?field=actor`)).status, 403);
    });
  });
}
