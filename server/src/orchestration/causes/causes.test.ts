import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { person } from '../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { failureCauses } from '../../services/failure-causes.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { readCausePage } from './queries.ts';

const DAY = 86_400;

interface Cause {
  readonly id: string;
  readonly flow_name: string;
  readonly last_flow_name: string | null;
  readonly cause: string;
  readonly standing: string;
  readonly count: number;
  readonly days: readonly { readonly day: string; readonly count: number }[];
  readonly versions: readonly { readonly version: string; readonly count: number }[];
  readonly last_run_id: string;
  readonly owner_name: string | null;
}

for (const database of databases) {
  describe(`causes of failures on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const made = async (path: string, body: object): Promise<{ readonly id: string; readonly name: string }> => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const flow = (name: string) => made('/flows/', { name });
    const fail = async (flowName: string, message: string, more: object = {}) => {
      const { id: flow_id } = await flow(flowName);
      return made('/flow_runs/', { flow_id, state: { type: 'FAILED', message }, ...more });
    };
    /** Two replicas pass at the same time, until nothing is left to do. */
    const sort = async (now?: Timestamp): Promise<void> => {
      const pass = () => failureCauses.runOnce(server.context(now));
      if ((await Promise.all([pass(), pass()])).includes(true)) await sort(now);
    };
    const list = async (body: object = {}): Promise<Cause[]> => {
      const { status, body: view, text } = await server.post('/views/failure_causes', { limit: 200, ...body });
      assert.equal(status, 200, text);
      return view.causes;
    };
    const causeOf = async (flowName: string, shelf = 'open') =>
      (await list({ shelf })).find(({ flow_name }) => flow_name === flowName);
    const change = async ({ id }: { id: string }, body: object): Promise<Cause> => {
      const answer = await server.patch(`/failure_causes/${id}`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const runsBehind = async ({ id }: { id: string }) => {
      const where = [{ field: 'cause', values: [id] }];
      return (await server.post('/views/runs', { where })).body.runs.map((run: { id: string }) => run.id).sort();
    };
    const eventsOf = async ({ id }: { id: string }) => {
      const filter = { resource: { id: [`prefect.failure-cause.${id}`] } };
      const { events } = (await server.post('/events/filter', { filter })).body;
      return events.map(({ event }: { event: string }) => event.replace('prefect.failure-cause.', '')).sort();
    };

    test('failures of one flow that differ only in numbers and ids have one cause, with its runs and versions', async () => {
      const first = await fail('load', 'Row 1 of file a failed', { flow_version: '1.0' });
      const second = await fail('load', 'Row 77 of file a failed', { flow_version: '1.1' });
      const other = await fail('load', 'No disk space');
      await fail('store', 'Row 1 of file a failed');
      await sort();
      const ofLoad = (await list()).filter(({ flow_name }) => flow_name === 'load');
      assert.deepEqual(
        ofLoad.map(({ cause, count, standing, last_run_id }) => [cause, count, standing, last_run_id]),
        [
          ['No disk space', 1, 'new', other.id],
          ['Row … of file a failed', 2, 'new', second.id],
        ],
      );
      const rows = ofLoad[1]!;
      assert.deepEqual(
        rows.versions.map(({ version, count }) => [version, count]),
        [
          ['1.1', 1],
          ['1.0', 1],
        ],
      );
      assert.deepEqual(
        rows.days.map(({ count }) => count),
        [2],
      );
      assert.deepEqual(await runsBehind(rows), [first.id, second.id].sort());
      assert.deepEqual(await eventsOf(rows), ['created']);
    });

    test('a tree of runs that fails for one reason counts once, in its deepest flow', async () => {
      const state = { type: 'RUNNING' };
      const parent = await made('/flow_runs/', { flow_id: (await flow('parent')).id, state });
      const task = await made('/task_runs/', {
        flow_run_id: parent.id,
        name: 'child-0',
        task_key: 'child',
        dynamic_key: newId(),
        state,
      });
      const child = await made('/flow_runs/', {
        flow_id: (await flow('child')).id,
        state,
        parent_task_run_id: task.id,
      });
      const message = 'Flow run encountered an exception: ValueError: no such row';
      for (const { id } of [child, parent]) {
        await made(`/flow_runs/${id}/set_state`, { state: { type: 'FAILED', message }, force: true });
      }
      await sort();
      const cause = (await causeOf('child'))!;
      assert.deepEqual([cause.cause, cause.count], ['ValueError: no such row', 1]);
      assert.equal(await causeOf('parent'), undefined);
      assert.deepEqual(await runsBehind(cause), [parent.id]);
      assert.deepEqual(
        [cause.last_run_id, cause.last_flow_name, await eventsOf(cause)],
        [parent.id, 'parent', ['created']],
      );
    });

    test('an attempt that failed is counted although the run is completed by now', async () => {
      const run = await fail('retried', 'Too early');
      await made(`/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
      await sort();
      const cause = (await causeOf('retried'))!;
      assert.equal(cause.count, 1);
      assert.deepEqual(await runsBehind(cause), [run.id]);
    });

    test('a resolved cause comes back as regressed, and an old one as again', async () => {
      const now = server.context().now;
      await fail('returning', 'Broken pipe');
      await sort();
      const cause = (await causeOf('returning'))!;
      assert.equal((await change(cause, { resolved: true })).standing, 'resolved');
      assert.equal(await causeOf('returning'), undefined);
      assert.equal((await causeOf('returning', 'resolved'))?.id, cause.id);
      await fail('returning', 'Broken pipe');
      await sort();
      assert.deepEqual([(await causeOf('returning'))?.standing, (await causeOf('returning'))?.count], ['regressed', 2]);
      assert.deepEqual(await eventsOf(cause), ['created', 'regressed', 'updated']);
      assert.equal((await change(cause, { resolved: true })).standing, 'resolved');
      assert.equal((await change(cause, { resolved: false })).standing, 'new');
      const later = server.context(addSeconds(now, 2 * DAY));
      const { causes } = await readCausePage(later, { shelf: 'open', limit: 200 });
      assert.equal(causes.find(({ id }) => id === cause.id)?.standing, 'again');
    });

    test('a muted cause says nothing until its time, or until it has come so many times', async () => {
      await fail('noisy', 'Rate limit');
      await sort();
      const cause = (await causeOf('noisy'))!;
      await change(cause, { muted_for: 2 });
      assert.equal((await causeOf('noisy', 'muted'))?.standing, 'muted');
      await fail('noisy', 'Rate limit');
      await sort();
      assert.equal(await causeOf('noisy'), undefined);
      await fail('noisy', 'Rate limit');
      await sort();
      assert.deepEqual([(await causeOf('noisy'))?.standing, (await causeOf('noisy'))?.count], ['new', 3]);
      assert.deepEqual(await eventsOf(cause), ['created', 'repeated', 'updated']);
      const until = addSeconds(server.context().now, DAY);
      assert.equal((await change(cause, { muted_until: until })).standing, 'muted');
      assert.equal((await change(cause, { muted_until: null })).standing, 'new');
    });

    test('a cause outlives its runs', async () => {
      const run = await fail('short-lived', 'Gone soon');
      await sort();
      const cause = (await causeOf('short-lived'))!;
      assert.equal((await server.delete(`/flow_runs/${run.id}`)).status, 204);
      const { body } = await server.get(`/failure_causes/${cause.id}`);
      assert.deepEqual(
        [body.count, body.last_run_id, body.last_run_name, body.last_message],
        [1, null, run.name, 'Gone soon'],
      );
      assert.deepEqual(await runsBehind(cause), []);
    });

    test('pages of causes follow each other, and wrong changes name their field', async () => {
      for (let number = 0; number < 3; number++) await fail(`page-${'abc'[number]}`, 'Page');
      await sort();
      const all = await list();
      const first = (await server.post('/views/failure_causes', { limit: 2 })).body;
      const second = (await server.post('/views/failure_causes', { limit: 2, after: first.next })).body;
      assert.deepEqual(
        [...first.causes, ...second.causes].map(({ id }: Cause) => id),
        all.slice(0, 4).map(({ id }) => id),
      );
      const path = `/failure_causes/${all[0]!.id}`;
      const wrong: [object, string][] = [
        [{ muted_until: '2020-01-01T00:00:00Z' }, 'muted_until'],
        [{ muted_for: 0 }, 'muted_for'],
        [{ owner_id: newId() }, 'owner_id'],
        [{ standing: 'new' }, 'standing'],
      ];
      for (const [body, field] of wrong) {
        const answer = await server.patch(path, body);
        assert.equal(answer.status, 422, answer.text);
        assert.ok(answer.text.includes(field), answer.text);
      }
      assert.equal((await server.patch(`/failure_causes/${newId()}`, { resolved: true })).status, 404);
    });
  });

  test(`only editors change a cause, its owner is a member, and the audit has the act, on ${database}`, async (t) => {
    const server = await startServer({ database, config: { apiAuth: 'key' } });
    t.after(() => server.stop());
    const admin = await person(server, 'ada@example.com', 'admin');
    const viewer = await person(server, 'vic@example.com', 'member');
    const workspaces = '/organizations/default/workspaces';
    const [workspace] = (await admin.get(workspaces)).body.items;
    await admin.put(`${workspaces}/${workspace.id}/grants/${viewer.id}`, { role: 'viewer' });
    const as = (who: { readonly key: string }, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
      server.request(method, `/api${path}`, body && JSON.stringify(body), {
        authorization: `Bearer ${who.key}`,
        ...(body && { 'content-type': 'application/json' }),
      });
    const flow = (await as(admin, 'POST', '/flows/', { name: 'owned' })).body;
    await as(admin, 'POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'CRASHED', message: 'Out of memory' } });
    await failureCauses.runOnce(server.context());
    const read = await as(viewer, 'POST', '/views/failure_causes', {});
    assert.equal(read.status, 200, read.text);
    const [cause] = read.body.causes;
    const path = `/failure_causes/${cause.id}`;
    assert.equal((await as(viewer, 'PATCH', path, { resolved: true })).status, 403);
    const owned = await as(admin, 'PATCH', path, { owner_id: viewer.id });
    assert.deepEqual([owned.status, owned.body.owner_name], [200, 'vic@example.com'], owned.text);
    assert.equal((await as(admin, 'PATCH', path, { owner_id: null })).body.owner_name, null);
    const { items } = (await admin.get('/organizations/default/audit?action=failure_cause.update')).body;
    assert.deepEqual(
      items.map(({ actorName, targetName }: { actorName: string; targetName: string }) => [actorName, targetName]),
      Array.from({ length: 2 }, () => ['ada@example.com', 'owned: Out of memory']),
    );
  });
}
