import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds } from '../../../values/time.ts';

for (const database of databases) {
  describe(`the tasks that a retry repeats on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const made = async (path: string, body: object): Promise<{ id: string }> => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const newRun = async () => {
      const { id: flow_id } = await made('/flows/', { name: 'retried' });
      return made('/flow_runs/', { flow_id, state: { type: 'RUNNING' } });
    };
    const newTask = ({ id: flow_run_id }: { id: string }, task: string, state: object) =>
      made('/task_runs/', {
        flow_run_id,
        name: `${task}-962`,
        task_key: `${task}-1f3a9c2e`,
        dynamic_key: newId(),
        state,
      });
    const completed = (storage_key?: string, expiration: string | null = null) => ({
      type: 'COMPLETED',
      ...(storage_key && { data: { storage_key, expiration } }),
    });
    const planOf = async ({ id }: { id: string }) => {
      const { status, body, text } = await server.get(`/views/flow_runs/${id}/retry`);
      assert.equal(status, 200, text);
      return body;
    };
    /** A digest, which the next attempt computes again. */
    const computed = (digit: string) => `/results/${digit.repeat(32)}`;
    const drawn = '/results/0b6d1f8c2a3e4f5d9a7c1b2d3e4f5a6b';

    test('those without a kept result run again, with the reason, and the others do not', async () => {
      const run = await newRun();
      const now = server.context().now;
      await newTask(run, 'extract', completed(computed('a')));
      await newTask(run, 'extract', completed(computed('c')));
      await newTask(run, 'lasting', completed(computed('d'), addSeconds(now, 3600)));
      await newTask(run, 'expired', completed(computed('e'), addSeconds(now, -3600)));
      await newTask(run, 'without', completed());
      await newTask(run, 'load', { type: 'FAILED' });
      await newTask(run, 'load', completed());
      const { repeated, kept, is_complete } = await planOf(run);
      const byName = (one: { task: string; reason?: string }, other: { task: string; reason?: string }) =>
        `${one.task} ${one.reason}`.localeCompare(`${other.task} ${other.reason}`);
      assert.deepEqual(repeated.toSorted(byName), [
        { task: 'expired', count: 1, reason: 'expired' },
        { task: 'load', count: 1, reason: 'no_result' },
        { task: 'load', count: 1, reason: 'not_completed' },
        { task: 'without', count: 1, reason: 'no_result' },
      ]);
      assert.deepEqual(kept, [
        { task: 'extract', count: 2 },
        { task: 'lasting', count: 1 },
      ]);
      assert.equal(is_complete, true);
    });

    test('a result below a key that was drawn is not found again, unless another of the task was computed', async () => {
      const run = await newRun();
      await newTask(run, 'uncached', completed(drawn));
      await newTask(run, 'cached', completed(drawn));
      await newTask(run, 'cached', completed(computed('b')));
      const { repeated, kept } = await planOf(run);
      assert.deepEqual(repeated, [{ task: 'uncached', count: 1, reason: 'no_result' }]);
      assert.deepEqual(kept, [{ task: 'cached', count: 2 }]);
    });

    test('a run without tasks repeats none, and an unknown run is not found', async () => {
      assert.deepEqual(await planOf(await newRun()), { repeated: [], kept: [], is_complete: true });
      assert.equal((await server.get(`/views/flow_runs/${newId()}/retry`)).status, 404);
    });
  });
}
