import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { failureCauses } from '../../services/failure-causes.ts';
import { newId } from '../../values/id.ts';

const raised = (exception: string) => `Flow run encountered an exception: ${exception}`;

interface Made {
  readonly id: string;
}

interface Cause {
  readonly cause: string;
  readonly flow_name: string;
  readonly count: number;
  readonly last_message: string | null;
  readonly last_state_name: string;
  readonly last_run_id: string;
}

for (const database of databases) {
  describe(`failures of a span on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const made = async (path: string, body: object): Promise<Made> => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const newRun = async (flow: string, parent?: Made): Promise<Made> => {
      const { id: flow_id } = await made('/flows/', { name: flow });
      const state = { type: 'RUNNING' };
      return made('/flow_runs/', { flow_id, name: flow, state, parent_task_run_id: parent?.id ?? null });
    };
    const newSubflow = async ({ id: flow_run_id }: Made, flow: string) => {
      const more = { task_key: flow, dynamic_key: newId(), state: { type: 'RUNNING' } };
      return newRun(flow, await made('/task_runs/', { flow_run_id, name: flow, ...more }));
    };
    const set = ({ id }: Made, state: object) => made(`/flow_runs/${id}/set_state`, { state, force: true });
    const fail = (run: Made, message: string | null = raised('OSError: disk full')) =>
      set(run, { type: 'FAILED', message });
    /** The failures that `act` adds to those of the workspace, and the causes that it makes the newest. */
    const added = async (act: () => Promise<unknown>) => {
      const before = (await home()).failed;
      await act();
      const { failed, causes } = await home();
      return { failed: failed - before, causes: causes as readonly Cause[] };
    };
    const home = async () => {
      await failureCauses.runOnce(server.context());
      const { status, body, text } = await server.get('/views/home?seconds=3600');
      assert.equal(status, 200, text);
      return body;
    };

    test('without a failure there are 0', async () => {
      assert.equal((await home()).failed, 0);
    });

    test('a run that is retried, or that succeeds at last, has failed all the same', async () => {
      const run = await newRun('retried');
      assert.equal((await added(() => fail(run))).failed, 1);
      const { failed, causes } = await added(() => set(run, { type: 'SCHEDULED', name: 'AwaitingRetry' }));
      assert.equal(failed, 0);
      assert.equal(causes[0]!.cause, 'OSError: disk full');
      assert.equal(causes[0]!.last_state_name, 'Failed');
      await set(run, { type: 'RUNNING' });
      assert.equal((await added(() => fail(run))).failed, 1);
      assert.equal((await added(() => set(run, { type: 'COMPLETED' }))).failed, 0);
      assert.equal((await home()).causes[0].count, 2);
    });

    test('an attempt that fails twice, as when its process ends as well, is one failure', async () => {
      const run = await newRun('twice');
      const { failed, causes } = await added(async () => {
        await fail(run, raised('ValueError: first'));
        await set(run, { type: 'CRASHED', message: 'Flow run infrastructure exited.' });
      });
      assert.equal(failed, 1);
      assert.equal(causes[0]!.cause, 'ValueError: first');
    });

    test('a tree of four levels is one failure, of the flow in which the cause is', async () => {
      const top = await newRun('top');
      const runs = [top];
      for (const flow of ['second', 'third', 'fourth']) runs.push(await newSubflow(runs.at(-1)!, flow));
      const { failed, causes } = await added(async () => {
        for (const run of runs.toReversed()) await fail(run, raised("KeyError: 'amount'"));
      });
      assert.equal(failed, 1);
      const [{ flow_name, last_run_id, count, last_message }] = causes as [Cause];
      assert.deepEqual([flow_name, last_run_id, count], ['fourth', top.id, 1]);
      assert.equal(last_message, raised("KeyError: 'amount'"));
    });

    test('a subflow fails on its own while its parent runs, and once its parent has handled that', async () => {
      const top = await newRun('handles');
      const child = await newSubflow(top, 'handled');
      assert.equal((await added(() => fail(child))).failed, 1);
      const { failed, causes } = await added(() => set(top, { type: 'COMPLETED' }));
      assert.equal(failed, 0);
      assert.equal(causes[0]!.last_run_id, child.id);
    });

    test('two branches that fail are one failure, by the one that the parent reports', async () => {
      const top = await newRun('two branches');
      const [left, right] = [await newSubflow(top, 'left'), await newSubflow(top, 'right')];
      const { failed, causes } = await added(async () => {
        await fail(left, raised('TimeoutError: slow'));
        await fail(right);
        await fail(top);
      });
      assert.equal(failed, 1);
      assert.deepEqual([causes[0]!.flow_name, causes[0]!.last_run_id], ['right', top.id]);
    });

    test('a parent that handled a failure and then failed by itself is its own cause', async () => {
      const top = await newRun('own trouble');
      const child = await newSubflow(top, 'handled first');
      const { failed, causes } = await added(async () => {
        await fail(child);
        await fail(top, raised('RuntimeError: own trouble'));
      });
      assert.equal(failed, 1);
      assert.equal(causes[0]!.flow_name, 'own trouble');
    });

    test('each attempt of a tree is one failure', async () => {
      const top = await newRun('tree again');
      const { failed } = await added(async () => {
        for (const _attempt of [1, 2, 3]) {
          await fail(await newSubflow(top, 'branch again'));
          await fail(top);
          await set(top, { type: 'SCHEDULED', name: 'AwaitingRetry' });
          await set(top, { type: 'RUNNING' });
        }
      });
      assert.equal(failed, 3);
      assert.equal((await home()).causes[0].count, 3);
    });

    test('a subflow that ends after its parent, whose process is gone, belongs to it', async () => {
      const top = await newRun('killed');
      const child = await newSubflow(top, 'orphan');
      const { failed, causes } = await added(async () => {
        await set(top, { type: 'CRASHED', message: 'Flow run infrastructure exited with code 137.' });
        await set(child, { type: 'CRASHED', message: 'Flow run heartbeat was lost.' });
      });
      assert.equal(failed, 1);
      assert.equal(causes[0]!.last_run_id, top.id);
    });

    test('failures under names that a client has chosen count too', async () => {
      const names = Array.from({ length: 12 }, (_, index) => `Refused ${index}`);
      const { failed } = await added(async () => {
        for (const name of names) await set(await newRun('named'), { type: 'FAILED', name });
      });
      assert.equal(failed, names.length);
    });
  });
}
