import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { person } from '../../../../test/support/platform.ts';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { newId } from '../../../values/id.ts';

const flowMessage = (exception: string) => `Flow run encountered an exception: ${exception}`;
const taskMessage = (exception: string) => `Task run encountered an exception ${exception}`;
const traceback = (exception: string, line: number) => `Encountered exception during execution: ${exception}
Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/prefect/task_engine.py", line 1, in run
    yield self
  File "/app/shop.py", line ${line}, in check
    raise
${exception}`;

interface Made {
  readonly id: string;
}

for (const database of databases) {
  describe(`the path to the cause of a failure on ${database}`, () => {
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
      return made('/flow_runs/', { flow_id, name: `${flow}-run`, state, parent_task_run_id: parent?.id ?? null });
    };
    const newTask = ({ id: flow_run_id }: Made, name: string): Promise<Made> => {
      const state = { type: 'RUNNING' };
      return made('/task_runs/', {
        flow_run_id,
        name,
        task_key: name,
        dynamic_key: newId(),
        state,
      });
    };
    const set = (kind: 'flow_runs' | 'task_runs', { id }: Made, state: object) =>
      made(`/${kind}/${id}/set_state`, { state, force: true });
    const failTask = (task: Made, message: string) => set('task_runs', task, { type: 'FAILED', message });
    const failRun = (run: Made, message: string | null) => set('flow_runs', run, { type: 'FAILED', message });
    const log = (message: string, ids: { flow_run_id: string; task_run_id?: string }) =>
      made('/logs/', [{ name: 'prefect', level: 40, message, timestamp: server.context().now, ...ids }]);
    /** A run of a subflow, and the task run that stands for it in its parent. */
    const newSubflow = async (parent: Made, flow: string) => {
      const task = await newTask(parent, `${flow}-0`);
      return { task, run: await newRun(flow, task) };
    };
    const failSubflow = async ({ task, run }: { task: Made; run: Made }, message: string) => {
      await failRun(run, message);
      await failTask(task, message);
    };
    const failureOf = async ({ id }: Made) => {
      const { status, body, text } = await server.get(`/views/flow_runs/${id}`);
      assert.equal(status, 200, text);
      const { failure } = body;
      return {
        task: failure.task?.name ?? null,
        subflows: failure.subflows.map(({ flow_name }: { flow_name: string }) => flow_name),
        line: failure.frames[failure.user_frame]?.line ?? null,
        exception: failure.exception && `${failure.exception.type}: ${failure.exception.message}`,
      };
    };

    test('leads through the subflows to the task that failed in the deepest', async () => {
      const [top, error] = [await newRun('top'), "KeyError: 'amount'"];
      const second = await newSubflow(top, 'second');
      const third = await newSubflow(second.run, 'third');
      const fourth = await newSubflow(third.run, 'fourth');
      const task = await newTask(fourth.run, 'check-0');
      await failTask(task, taskMessage("KeyError('amount')"));
      await log(traceback(error, 7), { flow_run_id: fourth.run.id, task_run_id: task.id });
      for (const subflow of [fourth, third, second]) await failSubflow(subflow, flowMessage(error));
      await failRun(top, flowMessage(error));
      const cause = { task: 'check-0', line: 7, exception: "KeyError: 'amount'" };
      assert.deepEqual(await failureOf(top), { ...cause, subflows: ['second', 'third', 'fourth'] });
      assert.deepEqual(await failureOf(third.run), { ...cause, subflows: ['fourth'] });
      assert.deepEqual(await failureOf(fourth.run), { ...cause, subflows: [] });
    });

    test('ends in a subflow that failed outside of its tasks, with the line that its own log has', async () => {
      const [top, error] = [await newRun('top'), 'ValueError: x is too large: 3'];
      const child = await newSubflow(top, 'child');
      await log(traceback(error, 9), { flow_run_id: child.run.id });
      await log(traceback(error, 1), { flow_run_id: top.id });
      await failSubflow(child, flowMessage(error));
      await failRun(top, flowMessage(error));
      assert.deepEqual(await failureOf(top), { task: null, subflows: ['child'], line: 9, exception: error });
    });

    test('takes the branch whose failure the run reports, not the one that failed first', async () => {
      const top = await newRun('top');
      const [left, right] = [await newSubflow(top, 'left'), await newSubflow(top, 'right')];
      await failSubflow(left, flowMessage('TimeoutError: slow'));
      const task = await newTask(right.run, 'write-0');
      await failTask(task, taskMessage("OSError('disk full')"));
      await failSubflow(right, flowMessage('OSError: disk full'));
      await failRun(top, flowMessage('OSError: disk full'));
      const { subflows, task: name } = await failureOf(top);
      assert.deepEqual([subflows, name], [['right'], 'write-0']);
    });

    test('takes the first of two branches that failed alike, and of those that a run returned', async () => {
      for (const message of [flowMessage('OSError: disk full'), '2/3 states failed.']) {
        const top = await newRun('top');
        const [first, second] = [await newSubflow(top, 'first'), await newSubflow(top, 'second')];
        await failSubflow(second, flowMessage('OSError: disk full'));
        await failSubflow(first, flowMessage('OSError: disk full'));
        await failRun(top, message);
        assert.deepEqual((await failureOf(top)).subflows, ['second'], message);
      }
    });

    test('stays in a run that failed by itself after it had handled the failure of a subflow', async () => {
      const [top, error] = [await newRun('top'), 'RuntimeError: own trouble'];
      await failSubflow(await newSubflow(top, 'handled'), flowMessage("KeyError: 'a'"));
      await log(traceback(error, 3), { flow_run_id: top.id });
      await failRun(top, flowMessage(error));
      assert.deepEqual(await failureOf(top), { task: null, subflows: [], line: 3, exception: error });
      const late = await newRun('late');
      await failTask(await newTask(late, 'handled-0'), taskMessage("KeyError('a')"));
      await failRun(late, 'Flow run exceeded timeout of 1.0 second(s)');
      assert.equal((await failureOf(late)).task, null);
    });

    test('follows an exception that was raised from that of a task', async () => {
      const top = await newRun('top');
      await failTask(await newTask(top, 'load-0'), taskMessage("KeyError('a')"));
      const chained = `${traceback("KeyError: 'a'", 5)}

The above exception was the direct cause of the following exception:

${traceback('RuntimeError: wrapped', 8)}`;
      await log(chained, { flow_run_id: top.id });
      await failRun(top, flowMessage('RuntimeError: wrapped'));
      assert.equal((await failureOf(top)).task, 'load-0');
    });

    test('looks at the latest attempt, and at the newest run of a subflow', async () => {
      const top = await newRun('top');
      const child = await newSubflow(top, 'child');
      await failSubflow(child, flowMessage('OSError: first attempt'));
      await failRun(top, flowMessage('OSError: first attempt'));
      await set('flow_runs', top, { type: 'SCHEDULED', name: 'AwaitingRetry' });
      await set('flow_runs', top, { type: 'RUNNING' });
      await set('task_runs', child.task, { type: 'RUNNING' });
      const again = await newRun('child', child.task);
      await failTask(await newTask(again, 'second-0'), taskMessage("ValueError('second attempt')"));
      await failSubflow({ task: child.task, run: again }, flowMessage('ValueError: second attempt'));
      await failRun(top, flowMessage('ValueError: second attempt'));
      const { task, subflows } = await failureOf(top);
      assert.deepEqual([task, subflows], ['second-0', ['child']]);
    });

    const viewOf = async ({ id }: Made, query = '') => {
      const { status, body, text } = await server.get(`/views/flow_runs/${id}${query}`);
      assert.equal(status, 200, text);
      return body;
    };
    const retry = (run: Made) => set('flow_runs', run, { type: 'SCHEDULED', name: 'AwaitingRetry' });
    const start = (run: Made) => set('flow_runs', run, { type: 'RUNNING' });

    test('the last failure stands until the next attempt runs, and each attempt keeps its own', async () => {
      const top = await newRun('attempts');
      const child = await newSubflow(top, 'first branch');
      await failSubflow(child, flowMessage('OSError: first'));
      await failRun(top, flowMessage('OSError: first'));
      await retry(top);
      const waits = await viewOf(top);
      assert.deepEqual([waits.explained, waits.failure.exception.message], [1, 'first']);
      assert.ok(waits.waiting.reasons.length > 0);
      await start(top);
      const runs = await viewOf(top);
      assert.deepEqual([runs.explained, runs.failure], [2, null]);
      assert.equal((await viewOf(top, '?attempt=1')).failure.exception.message, 'first');
      await failTask(await newTask(top, 'second-0'), taskMessage("ValueError('second')"));
      await failRun(top, flowMessage('ValueError: second'));
      await retry(top);
      await start(top);
      await set('flow_runs', top, { type: 'COMPLETED' });
      const { attempts, failure, explained } = await viewOf(top);
      assert.deepEqual([explained, failure], [3, null]);
      assert.deepEqual(
        attempts.map(({ number, state_name, message }: Record<string, unknown>) => [number, state_name, message]),
        [
          [1, 'Failed', flowMessage('OSError: first')],
          [2, 'Failed', flowMessage('ValueError: second')],
          [3, 'Completed', null],
        ],
      );
      const [first, second] = [await viewOf(top, '?attempt=1'), await viewOf(top, '?attempt=2')];
      assert.deepEqual([first.failure.subflows[0].flow_name, first.failure.task], ['first branch', null]);
      assert.deepEqual([second.failure.subflows, second.failure.task.name], [[], 'second-0']);
      assert.equal((await server.get(`/views/flow_runs/${top.id}?attempt=4`)).status, 404);
      assert.equal((await server.get(`/views/flow_runs/${top.id}?attempt=0`)).status, 422);
    });

    test('the timeline of an attempt has its task runs, and the run of a subflow that belongs to it', async () => {
      const top = await newRun('timed');
      const child = await newSubflow(top, 'branch');
      await failTask(await newTask(top, 'first-0'), taskMessage("OSError('x')"));
      await failSubflow(child, flowMessage('OSError: x'));
      await failRun(top, flowMessage('OSError: x'));
      await retry(top);
      await start(top);
      await set('task_runs', child.task, { type: 'RUNNING' });
      const again = await newRun('branch', child.task);
      await newTask(top, 'second-0');
      const timeline = async (query: string) => {
        const { body, status, text } = await server.get(`/views/flow_runs/${top.id}/timeline${query}`);
        assert.equal(status, 200, text);
        return body as { id: string[]; name: string[]; total: number; attempts: { task: number; type: string }[] };
      };
      const [first, second, all] = [await timeline('?attempt=1'), await timeline('?attempt=2'), await timeline('')];
      assert.deepEqual(first.name.toSorted(), ['branch / branch-run', 'first-0']);
      assert.ok(first.id.includes(child.run.id) && !first.id.includes(again.id));
      assert.deepEqual(second.name.toSorted(), ['branch / branch-run', 'second-0']);
      assert.ok(second.id.includes(again.id) && !second.id.includes(child.run.id));
      assert.deepEqual([first.total, second.total, all.total], [2, 2, 3]);
      const statesOf = (id: string) => all.attempts.filter(({ task }) => all.id[task] === id).map(({ type }) => type);
      assert.ok(statesOf(child.run.id).includes('FAILED'));
      assert.ok(!statesOf(again.id).includes('FAILED'));
      assert.equal((await server.get(`/views/flow_runs/${top.id}/timeline?attempt=3`)).status, 404);
    });

    test('an attempt that the policy of the run retries has failed', async () => {
      const { id: flow_id } = await made('/flows/', { name: 'retries itself' });
      const run = await made('/flow_runs/', {
        flow_id,
        state: { type: 'PENDING' },
        empirical_policy: { retries: 1, retry_delay: 0 },
      });
      const go = (state: object) => made(`/flow_runs/${run.id}/set_state`, { state });
      await go({ type: 'RUNNING' });
      await failTask(await newTask(run, 'load-0'), taskMessage("OSError('busy')"));
      await go({ type: 'FAILED', message: flowMessage('OSError: busy') });
      const { attempts, failure } = await viewOf(run);
      assert.deepEqual(
        attempts.map(({ state_type }: { state_type: string }) => state_type),
        ['FAILED', 'SCHEDULED'],
      );
      assert.deepEqual([failure.task.name, failure.exception.message], ['load-0', "'busy'"]);
    });

    test('lists the subflows of any depth, with the run in which each is', async () => {
      const top = await newRun('root');
      const [left, right] = [await newSubflow(top, 'left'), await newSubflow(top, 'right')];
      const below = await newSubflow(right.run, 'below');
      const again = await newRun('left', left.task);
      const { status, body } = await server.get(`/views/flow_runs/${top.id}/subflows`);
      assert.equal(status, 200);
      assert.equal(body.is_complete, true);
      const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
      assert.deepEqual(
        body.subflows
          .map(({ id, flow_name, parent_id }: Record<string, string>) => ({ id, flow_name, parent_id }))
          .sort(byId),
        [
          { id: left.run.id, flow_name: 'left', parent_id: top.id },
          { id: right.run.id, flow_name: 'right', parent_id: top.id },
          { id: below.run.id, flow_name: 'below', parent_id: right.run.id },
          { id: again.id, flow_name: 'left', parent_id: top.id },
        ].sort(byId),
      );
      assert.equal((await server.get(`/views/flow_runs/${newId()}/subflows`)).status, 404);
    });

    test('a run that continues after a pause is in the same attempt', async () => {
      const run = await newRun('pauses');
      await set('flow_runs', run, { type: 'PAUSED' });
      await start(run);
      await failRun(run, flowMessage('OSError: late'));
      assert.equal((await viewOf(run)).attempts.length, 1);
    });

    test('the failure of an attempt leads to the attempt of a subflow that has been retried since', async () => {
      const top = await newRun('above');
      const child = await newSubflow(top, 'recovers');
      await failTask(await newTask(child.run, 'check-0'), taskMessage("KeyError('a')"));
      await failSubflow(child, flowMessage("KeyError: 'a'"));
      await failRun(top, flowMessage("KeyError: 'a'"));
      await retry(top);
      await retry(child.run);
      await start(child.run);
      await set('flow_runs', child.run, { type: 'COMPLETED' });
      const { failure } = await viewOf(top, '?attempt=1');
      assert.deepEqual([failure.subflows.length, failure.task.name], [1, 'check-0']);
    });

    test('a subflow of another workspace, whose task run has the same id, is not followed', async () => {
      const top = await newRun('own');
      const task = await newTask(top, 'other-0');
      await failTask(task, flowMessage('OSError: x'));
      await failRun(top, flowMessage('OSError: x'));
      const admin = await person(server, `${newId()}@example.com`, 'admin');
      const { body: workspace } = await admin.post('/organizations/default/workspaces', {
        name: 'Other',
        handle: 'other',
      });
      const { body: organization } = await admin.get('/organizations/default');
      const elsewhere = async (path: string, body: object): Promise<Made> => {
        const base = `/api/accounts/${organization.id}/workspaces/${workspace.id}`;
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin.key}` };
        const answer = await server.request('POST', base + path, JSON.stringify(body), headers);
        assert.ok(answer.status < 300, answer.text);
        return answer.body;
      };
      const { id: flow_id } = await elsewhere('/flows/', { name: 'hidden' });
      const parent = await elsewhere('/flow_runs/', { flow_id, state: { type: 'RUNNING' } });
      const same = { id: task.id, flow_run_id: parent.id, task_key: 'other', dynamic_key: newId() };
      await elsewhere('/task_runs/', { ...same, name: 'other-0', state: { type: 'RUNNING' } });
      const child = await elsewhere('/flow_runs/', {
        flow_id,
        parent_task_run_id: task.id,
        state: { type: 'RUNNING' },
      });
      await elsewhere(`/flow_runs/${child.id}/set_state`, {
        state: { type: 'FAILED', message: flowMessage('OSError: x') },
        force: true,
      });
      const { failure } = await viewOf(top);
      assert.deepEqual([failure.subflows, failure.task.name], [[], 'other-0']);
      const { subflows } = (await server.get(`/views/flow_runs/${top.id}/subflows`)).body;
      assert.deepEqual(subflows, []);
    });

    test('ends above a subflow that was deleted or has recovered', async () => {
      for (const recover of [
        (run: Made) => set('flow_runs', run, { type: 'COMPLETED' }),
        ({ id }: Made) => server.delete(`/flow_runs/${id}`),
      ]) {
        const top = await newRun('top');
        const child = await newSubflow(top, 'child');
        await failSubflow(child, flowMessage("KeyError: 'a'"));
        await failRun(top, flowMessage("KeyError: 'a'"));
        await recover(child.run);
        await failTask(child.task, flowMessage("KeyError: 'a'"));
        const { task, subflows } = await failureOf(top);
        assert.deepEqual([task, subflows], ['child-0', []]);
      }
    });

    test('ends after twenty subflows of any number', async () => {
      const top = await newRun('top');
      let run = top;
      for (let depth = 0; depth < 25; depth += 1) {
        const child = await newSubflow(run, `level-${depth}`);
        await failTask(child.task, flowMessage('OSError: deep'));
        await failRun(run, flowMessage('OSError: deep'));
        run = child.run;
      }
      await failRun(run, flowMessage('OSError: deep'));
      assert.equal((await failureOf(top)).subflows.length, 19);
    });
  });
}
