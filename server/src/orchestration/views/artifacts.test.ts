import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

for (const database of databases) {
  describe(`the view of artifacts on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const newArtifact = async (artifact: object) => {
      const { status, body, text } = await server.post('/artifacts/', artifact);
      assert.equal(status, 201, text);
      return body as { id: string };
    };
    const list = async (body: object) => {
      const { status, body: view, text } = await server.post('/views/artifacts', body);
      assert.equal(status, 200, text);
      return view as { artifacts: Record<string, unknown>[]; next: object | null };
    };

    test('lists the newest version of each key, and every version of one key, page by page', async () => {
      const ids: string[] = [];
      for (let version = 0; version < 3; version++) {
        ids.push((await newArtifact({ key: 'report', type: 'markdown', data: `# ${version}` })).id);
      }
      await newArtifact({ key: 'loading', type: 'progress', data: 80 });
      const latest = await list({});
      assert.deepEqual(
        latest.artifacts.map(({ key, id }) => [key, id === ids[2]]),
        [
          ['loading', false],
          ['report', true],
        ],
      );
      assert.equal(latest.artifacts[0]?.['progress'], 80);
      assert.equal(latest.artifacts[1]?.['progress'], null);
      assert.ok(!('data' in (latest.artifacts[1] ?? {})));
      for (const body of [{ key: 'report' }, {}]) {
        const seen: unknown[] = [];
        let next: object | null = null;
        do {
          const page: { artifacts: Record<string, unknown>[]; next: object | null } = await list({
            ...body,
            limit: 1,
            after: next,
          });
          seen.push(...page.artifacts.map(({ id }) => id));
          next = page.next;
        } while (next);
        assert.deepEqual(seen, 'key' in body ? ids.toReversed() : latest.artifacts.map(({ id }) => id));
      }
    });

    test('leaves out progress that is too long for a number', async () => {
      await newArtifact({ key: 'endless', type: 'progress', data: 'x'.repeat(100_000) });
      const [found] = (await list({ text: 'endless' })).artifacts;
      assert.equal(found?.['progress'], null);
    });

    test('filters by part of the key and by type, and names the runs', async () => {
      const flow_id = (await server.post('/flows/', { name: 'reporting' })).body.id;
      const run = (await server.post('/flow_runs/', { flow_id, name: 'monday' })).body;
      const task = (
        await server.post('/task_runs/', { flow_run_id: run.id, name: 'write-0', task_key: 'write', dynamic_key: '0' })
      ).body;
      await newArtifact({ key: 'weekly-total', type: 'table', flow_run_id: run.id, task_run_id: task.id });
      await newArtifact({ type: 'markdown', flow_run_id: run.id });
      const [found] = (await list({ text: 'TOTAL', types: ['table'] })).artifacts;
      assert.deepEqual(
        [found?.['flow_name'], found?.['flow_run_name'], found?.['task_run_name']],
        ['reporting', 'monday', 'write-0'],
      );
      assert.equal((await list({ text: 'total', types: ['image'] })).artifacts.length, 0);
      assert.equal((await list({ flow_run_id: run.id })).artifacts.length, 2);
      assert.equal((await list({ task_run_id: task.id })).artifacts.length, 1);
    });
  });
}
