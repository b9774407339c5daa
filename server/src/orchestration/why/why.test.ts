import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addSeconds } from '../../values/time.ts';
import { refillDueDeployments } from '../deployments/refill.ts';
import { explainFlowRun } from './why.ts';

interface Reason {
  readonly code: string;
  readonly message: string;
  readonly blocks: boolean;
}

for (const database of databases) {
  describe(`why a run has not started, on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    let made = 0;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'explained' })).body.id;
    });
    after(() => server.stop());

    const unique = (prefix: string) => `${prefix}-${++made}`;
    const soon = (seconds: number) => addSeconds(server.context().now, seconds);
    const dueAt = (seconds: number, name?: string) => ({
      type: 'SCHEDULED',
      ...(name ? { name } : {}),
      state_details: { scheduled_time: soon(seconds) },
    });
    const newRun = async (more: object) =>
      (await server.post('/flow_runs/', { flow_id, ...more })).body as { id: string; name: string };
    const setState = (id: string, state: object) => server.post(`/flow_runs/${id}/set_state`, { state, force: true });
    const why = async ({ id }: { id: string }) => {
      const { status, body } = await server.get(`/flow_runs/${id}/why`);
      assert.equal(status, 200);
      assert.equal(body.run_id, id);
      return body;
    };
    const blocking = ({ reasons }: { reasons: Reason[] }) =>
      reasons.filter(({ blocks }) => blocks).map(({ code }) => code);
    const newPool = async (more: object = {}) =>
      (await server.post('/work_pools/', { name: unique('pool'), type: 'process', ...more })).body;
    const newDeployment = async (more: object = {}) =>
      (await server.post('/deployments/', { flow_id, name: unique('deployment'), ...more })).body;
    const runOf = async (deployment: { id: string }, seconds = -1) => {
      const { body } = await server.post(`/deployments/${deployment.id}/create_flow_run`, { state: dueAt(seconds) });
      return body as { id: string; name: string };
    };
    const poll = (pool: string) => server.post(`/work_pools/${pool}/get_scheduled_flow_runs`, {});
    const heartbeat = (pool: string) => server.post(`/work_pools/${pool}/workers/heartbeat`, { name: 'w' });

    test('a future run waits for its time', async () => {
      const run = await newRun({ state: dueAt(3600) });
      const answer = await why(run);
      assert.equal(answer.started, false);
      assert.equal(answer.reasons[0].code, 'start_in_future');
      assert.equal(answer.reasons[0].until, answer.expected_start_time);
      assert.match(
        answer.summary,
        new RegExp(`^Flow run "${run.name}" has not started. It is scheduled to start at 2`),
      );
    });

    test('a run without a deployment, a time or a state has a reason', async () => {
      assert.deepEqual(blocking(await why(await newRun({ state: dueAt(-1) }))), ['no_deployment']);
      assert.deepEqual(blocking(await why(await newRun({ state: { type: 'PENDING' } }))), ['pending']);
      const run = await newRun({});
      await setState(run.id, { type: 'SCHEDULED' });
      assert.ok(blocking(await why(run)).length > 0);
    });

    test('a running, cancelling or ended run has its own reason', async () => {
      const run = await newRun({ state: { type: 'RUNNING' } });
      const running = await why(run);
      assert.deepEqual([running.started, running.reasons[0].code, blocking(running)], [true, 'running', []]);
      await setState(run.id, { type: 'CANCELLING' });
      assert.deepEqual(blocking(await why(run)), ['cancelling']);
      await setState(run.id, { type: 'CANCELLED', message: 'by hand' });
      const ended = await why(run);
      assert.deepEqual([ended.started, ended.reasons[0].code], [true, 'ended']);
      assert.match(ended.summary, /has ended. Its state has been Cancelled since .* "by hand"$/);
    });

    test('a paused run shows its deadline to resume', async () => {
      const run = await newRun({ state: { type: 'RUNNING' } });
      const pause_timeout = soon(600);
      await setState(run.id, { type: 'PAUSED', state_details: { pause_timeout } });
      const paused = await why(run);
      assert.deepEqual([paused.reasons[0].code, paused.reasons[0].until], ['paused', pause_timeout]);
      await setState(run.id, { type: 'PAUSED', state_details: { pause_timeout, pause_reschedule: true } });
      assert.deepEqual(blocking(await why(run)), ['suspended']);
    });

    test('a failed run waits for its retry, and no other process may start one that continues in its process', async () => {
      const run = await newRun({ state: dueAt(60, 'AwaitingRetry') });
      assert.deepEqual(blocking(await why(run)), ['waiting_for_retry', 'no_deployment']);
      const empirical_policy = { retries: 1, retry_type: 'in_process' };
      const inProcess = await newRun({ state: dueAt(-1, 'AwaitingRetry'), empirical_policy });
      assert.deepEqual(blocking(await why(inProcess)), ['waiting_for_process']);
    });

    test('a pool without workers is reported, with the time of the last heartbeat and poll', async () => {
      const pool = await newPool();
      const deployment = await newDeployment({ work_pool_name: pool.name });
      const run = await runOf(deployment);
      const alone = await why(run);
      assert.deepEqual(blocking(alone), ['no_worker']);
      assert.match(alone.summary, /has no online worker: none was ever seen\.$/);
      assert.equal(alone.reasons[0].resource.id, pool.id);
      await heartbeat(pool.name);
      assert.deepEqual(blocking(await why(run)), ['work_queue_not_polled']);
      await poll(pool.name);
      const fine = await why(run);
      assert.deepEqual(blocking(fine), ['next_in_line']);
      const later = await explainFlowRun(server.context(soon(3600)), run.id);
      assert.deepEqual(blocking({ reasons: [...(later?.reasons ?? [])] }), ['no_worker']);
      assert.match(later?.summary ?? '', /the last heartbeat came at 2/);
    });

    test('paused pools and queues are reported together', async () => {
      const pool = await newPool();
      const run = await runOf(await newDeployment({ work_pool_name: pool.name }));
      await poll(pool.name);
      await server.patch(`/work_pools/${pool.name}`, { is_paused: true });
      assert.deepEqual(blocking(await why(run)), ['work_pool_paused']);
      await server.patch(`/work_pools/${pool.name}/queues/default`, { is_paused: true });
      assert.deepEqual(blocking(await why(run)), ['work_pool_paused', 'work_queue_paused']);
    });

    test('a full pool or queue names the runs that fill it', async () => {
      const pool = await newPool({ concurrency_limit: 1 });
      const deployment = await newDeployment({ work_pool_name: pool.name });
      const [holder, run] = [await runOf(deployment), await runOf(deployment)];
      await setState(holder.id, { type: 'RUNNING' });
      await poll(pool.name);
      await server.patch(`/work_pools/${pool.name}/queues/default`, { concurrency_limit: 1 });
      const answer = await why(run);
      assert.deepEqual(blocking(answer), ['work_pool_full', 'work_queue_full']);
      for (const { holders, limit, active_slots } of answer.reasons) {
        assert.deepEqual(holders, [{ type: 'flow_run', id: holder.id, name: holder.name }]);
        assert.deepEqual([limit, active_slots], [1, 1]);
      }
      assert.match(answer.summary, new RegExp(`1 of 1 slot is taken, by flow run "${holder.name}"`));
    });

    test('a deleted queue and a deleted deployment are reported', async () => {
      const pool = await newPool();
      await server.post(`/work_pools/${pool.name}/queues/`, { name: 'short' });
      const deployment = await newDeployment({ work_pool_name: pool.name, work_queue_name: 'short' });
      const run = await runOf(deployment);
      await server.delete(`/work_pools/${pool.name}/queues/short`);
      assert.deepEqual(blocking(await why(run)), ['work_queue_deleted']);
    });

    test('a deployment without a pool needs a process that serves it', async () => {
      const deployment = await newDeployment();
      const run = await runOf(deployment);
      const answer = await why(run);
      assert.deepEqual(blocking(answer), ['deployment_not_served']);
      await server.post('/deployments/get_scheduled_flow_runs', { deployment_ids: [deployment.id] });
      assert.deepEqual(blocking(await why(run)), ['next_in_line']);
    });

    test("a paused deployment is reported beside the run's other reasons", async () => {
      const deployment = await newDeployment();
      const run = await runOf(deployment);
      await server.post(`/deployments/${deployment.id}/pause_deployment`);
      const { reasons } = await why(run);
      assert.deepEqual(
        reasons.map(({ code, blocks }: Reason) => [code, blocks]),
        [
          ['deployment_not_served', true],
          ['deployment_paused', false],
        ],
      );
    });

    test('a run of an inactive schedule shows that no further runs follow', async () => {
      const schedules = [{ active: true, schedule: { interval: 3600 } }];
      const deployment = await newDeployment({ schedules });
      await refillDueDeployments(server.context());
      const filter = { deployments: { id: { any_: [deployment.id] } }, limit: 1 };
      const [run] = (await server.post('/flow_runs/filter', filter)).body;
      await setState(run.id, { type: 'RUNNING' });
      const [schedule] = (await server.get(`/deployments/${deployment.id}`)).body.schedules;
      await server.patch(`/deployments/${deployment.id}/schedules/${schedule.id}`, { active: false });
      await setState(run.id, dueAt(60, 'AwaitingRetry'));
      const told = (await why(run)).reasons.map(({ code, blocks }: Reason) => [code, blocks]);
      assert.deepEqual(told.at(-1), ['schedule_inactive', false]);
    });

    test('a full limit of a deployment names its holders, and a limit of 0 can never be met', async () => {
      const deployment = await newDeployment({ concurrency_limit: 1 });
      const [holder, run] = [await runOf(deployment), await runOf(deployment)];
      const taken = await server.post(`/flow_runs/${holder.id}/set_state`, { state: { type: 'PENDING' } });
      assert.equal(taken.body.status, 'ACCEPT');
      const answer = await why(run);
      assert.deepEqual(blocking(answer), ['deployment_limit_full', 'deployment_not_served']);
      const [{ holders, limit, active_slots }] = answer.reasons;
      assert.deepEqual(holders, [{ type: 'flow_run', id: holder.id, name: holder.name }]);
      assert.deepEqual([limit, active_slots], [1, 1]);
      await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'PENDING' } });
      assert.equal(blocking(await why(run))[0], 'waiting_for_slot');
      const none = await newDeployment({ concurrency_limit: 1 });
      const stuck = await runOf(none);
      const { id } = (await server.get(`/deployments/${none.id}`)).body.global_concurrency_limit;
      await server.patch(`/v2/concurrency_limits/${id}`, { limit: 0 });
      assert.equal(blocking(await why(stuck))[0], 'deployment_limit_zero');
    });

    test('a run whose tasks wait for a tag names its holder', async () => {
      const tag = unique('tag');
      await server.post('/v2/concurrency_limits/', { name: `tag:${tag}`, limit: 1 });
      const run = await newRun({ state: { type: 'RUNNING' } });
      const newTask = async (key: string) =>
        (
          await server.post('/task_runs/', {
            flow_run_id: run.id,
            task_key: key,
            dynamic_key: '0',
            tags: [tag],
            state: { type: 'PENDING' },
          })
        ).body;
      const [holder] = [await newTask('holds'), await newTask('waits')];
      assert.deepEqual(blocking(await why(run)), []);
      await server.post('/v2/concurrency_limits/increment-with-lease', {
        names: [`tag:${tag}`],
        slots: 1,
        mode: 'concurrency',
        holder: { type: 'task_run', id: holder.id },
      });
      const { reasons } = await why(run);
      assert.deepEqual(
        reasons.map(({ code, blocks }: Reason) => [code, blocks]),
        [
          ['running', false],
          ['tag_limit_full', false],
        ],
      );
      assert.deepEqual(reasons[1].holders, [{ type: 'task_run', id: holder.id, name: holder.name }]);
    });
  });
}
