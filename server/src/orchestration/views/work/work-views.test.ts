import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { addSeconds } from '../../../values/time.ts';
import { refillDueDeployments } from '../../deployments/refill.ts';

for (const database of databases) {
  describe(`the views of work on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const now = () => server.context().now;
    const create = async (path: string, body: object) => {
      const { status, body: made, text } = await server.post(path, body);
      assert.ok(status === 200 || status === 201, `${path}: ${text}`);
      return made as { id: string };
    };
    const read = async (path: string, body?: object) => {
      const { status, body: view, text } = body ? await server.post(path, body) : await server.get(path);
      assert.equal(status, 200, text);
      return view;
    };
    const newFlow = async (name: string) => (await create('/flows/', { name })).id;
    const run = async (deployment: string, type: string, name: string, due = 0) => {
      const at = addSeconds(now(), due);
      const state = { type: 'SCHEDULED', state_details: { scheduled_time: at } };
      const { id } = await create(`/deployments/${deployment}/create_flow_run`, { name, state });
      if (type !== 'SCHEDULED') await create(`/flow_runs/${id}/set_state`, { state: { type }, force: true });
      return id;
    };
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
    const codes = (reasons: { code: string }[]) => reasons.map(({ code }) => code);

    test('flows show their last runs, the next one and their counts, and continue where the last page ended', async () => {
      const flow = await newFlow('paged-b');
      await newFlow('paged-a');
      await newFlow('paged-c');
      const { id } = await create('/deployments/', { flow_id: flow, name: 'nightly' });
      for (let index = 0; index < 18; index++) await run(id, 'COMPLETED', `run ${index}`, index - 60);
      const next = await run(id, 'SCHEDULED', 'tomorrow', 86_400);
      await run(id, 'SCHEDULED', 'later', 90_000);
      const first = await read('/views/flows', { name: 'PAGED', limit: 2 });
      assert.deepEqual(names(first.flows), ['paged-a', 'paged-b']);
      const [empty, full] = first.flows;
      assert.deepEqual(empty.last_runs, []);
      assert.equal(empty.next_run, null);
      assert.equal(full.last_runs.length, 16);
      assert.equal(full.last_runs[0].name, 'run 17');
      assert.equal(full.next_run.id, next);
      assert.deepEqual([full.deployments, full.runs], [1, 20]);
      const second = await read('/views/flows', { name: 'paged', limit: 2, after: first.next });
      assert.deepEqual(names(second.flows), ['paged-c']);
      assert.equal(second.next, null);
      assert.equal((await read(`/views/flows/${flow}`)).last_runs.length, 18);
    });

    test('the next start of a deployment is right at once after its schedules change', async () => {
      const schedules = [
        { active: true, schedule: { interval: 3600, anchor_date: addSeconds(now(), 1800) } },
        { active: true, schedule: { interval: 7 * 86_400, anchor_date: addSeconds(now(), 2 * 86_400) } },
      ];
      const flow_id = await newFlow('starts');
      const { id } = await create('/deployments/', { flow_id, name: 'two-schedules', schedules });
      const { body: stored } = await server.get(`/deployments/${id}/schedules`);
      const [hourly, weekly] = [3600, 7 * 86_400].map((interval) =>
        stored.find(({ schedule }: { schedule: { interval: number } }) => schedule.interval === interval),
      );
      const switchTo = async (schedule: { id: string }, active: boolean) => {
        const { status } = await server.patch(`/deployments/${id}/schedules/${schedule.id}`, { active });
        assert.equal(status, 204);
      };
      const starts = async () => {
        const one = (await read(`/views/deployments/${id}`)).next_run;
        const [row] = (await read('/views/deployments', { name: 'two-schedules' })).deployments;
        assert.deepEqual(row.next_run, one);
        return one;
      };
      const seconds = (start: string) => (Date.parse(start) - Date.parse(now())) / 1000;

      const planned = await starts();
      assert.equal(planned.id, null);
      assert.ok(Math.abs(seconds(planned.start) - 1800) < 60, planned.start);
      await refillDueDeployments(server.context());
      const made = await starts();
      assert.equal(made.start, planned.start);
      assert.equal(typeof made.id, 'string');

      await switchTo(hourly, false);
      const later = await starts();
      assert.equal(later.id, null);
      assert.ok(Math.abs(seconds(later.start) - 2 * 86_400) < 60, later.start);
      const asked = await run(id, 'SCHEDULED', 'asked-for', 86_400);
      assert.equal((await starts()).id, asked, 'a run that somebody asked for comes earlier');
      await switchTo(hourly, true);
      assert.equal((await starts()).start, planned.start);

      await create(`/deployments/${id}/pause_deployment`, {});
      assert.equal((await starts()).id, asked);
      await create(`/deployments/${id}/resume_deployment`, {});
      assert.equal((await starts()).start, planned.start);
      await switchTo(hourly, false);
      await switchTo(weekly, false);
      assert.equal((await starts()).id, asked);
    });

    test('a schedule beyond the runs that are made says when, and one that never comes disturbs no other', async () => {
      const flow_id = await newFlow('far');
      const scheduled = (name: string, ...crons: string[]) =>
        create('/deployments/', {
          flow_id,
          name,
          schedules: crons.map((cron) => ({ active: true, schedule: { cron, timezone: 'UTC' } })),
        });
      await scheduled('far-leap-day', '0 0 29 2 *');
      await scheduled('far-never', '0 0 30 2 *');
      await scheduled('far-one-of-two', '0 0 30 2 *', '0 12 * * *');
      const starts = async () =>
        (await read('/views/deployments', { name: 'far-' })).deployments.map(
          ({ next_run }: { next_run: { start: string } | null }) => next_run?.start.slice(5, 16) ?? null,
        );
      const [leapDay, never, one] = await starts();
      assert.deepEqual([leapDay, never, one.slice(6)], ['02-29T00:00', null, '12:00']);
      await refillDueDeployments(server.context());
      assert.deepEqual(await starts(), [leapDay, never, one]);
    });

    test('a deployment shows why its runs do not start', async () => {
      const flow = await newFlow('health');
      await create('/work_pools/', { name: 'crew', type: 'process' });
      const { id } = await create('/deployments/', {
        flow_id: flow,
        name: 'pooled',
        work_pool_name: 'crew',
        concurrency_limit: 1,
        tags: ['prod'],
        schedules: [{ active: false, schedule: { cron: '0 6 * * *' } }],
      });
      const view = () => read(`/views/deployments/${id}`);
      assert.deepEqual(codes((await view()).reasons), ['no_worker', 'schedule_inactive']);
      await server.post('/work_pools/crew/workers/heartbeat', { name: 'w', heartbeat_interval_seconds: 30 });
      assert.deepEqual(codes((await view()).reasons), ['work_queue_not_polled', 'schedule_inactive']);
      await create('/work_pools/crew/get_scheduled_flow_runs', {});
      assert.deepEqual(codes((await view()).reasons), ['schedule_inactive']);
      await create(`/deployments/${id}/pause_deployment`, {});
      await server.patch('/work_pools/crew', { is_paused: true });
      const paused = await view();
      assert.deepEqual(codes(paused.reasons), ['work_pool_paused', 'deployment_paused']);
      assert.equal(paused.work_pool.workers_online, 1);
      const { deployments } = await read('/views/deployments', { work_pool: 'crew' });
      assert.deepEqual(names(deployments), ['pooled']);
      assert.deepEqual(codes(deployments[0].reasons), ['work_pool_paused', 'deployment_paused']);
    });

    test('a deployment without a work pool waits for a process that serves it', async () => {
      const flow = await newFlow('served');
      const { id } = await create('/deployments/', { flow_id: flow, name: 'by-process' });
      const { reasons, work_pool } = await read(`/views/deployments/${id}`);
      assert.deepEqual(codes(reasons), ['deployment_not_served']);
      assert.equal(work_pool, null);
    });

    test('a deployment lists its runs with their versions, and counts late ones', async () => {
      const flow = await newFlow('versions');
      const body = { flow_id: flow, name: 'versioned' };
      const { id } = await create('/deployments/', { ...body, version: '1' });
      await run(id, 'COMPLETED', 'old', -60);
      await create('/deployments/', { ...body, version: '2' });
      await run(id, 'FAILED', 'new', -30);
      const late = await run(id, 'SCHEDULED', 'late', -20);
      await create(`/flow_runs/${late}/set_state`, { state: { type: 'SCHEDULED', name: 'Late' }, force: true });
      const view = await read(`/views/deployments/${id}`);
      assert.deepEqual(names(view.runs).toSorted(), ['late', 'new', 'old']);
      assert.deepEqual(
        view.versions.map((one: { version: string; runs: number }) => [one.version, one.runs]),
        [
          ['2', 2],
          ['1', 1],
        ],
      );
      assert.equal(view.late, 1);
      const { deployments } = await read('/views/deployments', { flow_id: flow });
      assert.equal(deployments[0].late, 1);
    });

    test('deployments are filtered by name, tag and pause, page by page', async () => {
      const flow = await newFlow('many-deployments');
      for (const name of ['c', 'a', 'b']) {
        await create('/deployments/', { flow_id: flow, name, paused: name === 'b', tags: [`tag-${name}`] });
      }
      const seen: string[] = [];
      let position: object | null = null;
      do {
        const page = await read('/views/deployments', { name: 'many-dep', limit: 1, after: position });
        seen.push(...names(page.deployments));
        position = page.next;
      } while (position !== null);
      assert.deepEqual(seen, ['a', 'b', 'c']);
      const paused = await read('/views/deployments', { flow_id: flow, paused: true });
      assert.deepEqual(names(paused.deployments), ['b']);
      assert.deepEqual(names((await read('/views/deployments', { tag: 'tag-c' })).deployments), ['c']);
    });

    test('the schedule lists the dates of a week, summarizes dense ones and finds clashes with limits', async () => {
      const flow = await newFlow('planned');
      await create('/work_pools/', { name: 'narrow', type: 'process', concurrency_limit: 1 });
      const daily = { schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } };
      const deploy = (name: string, schedules: object[], more: object = {}) =>
        create('/deployments/', { flow_id: flow, name, schedules, ...more });
      const first = await deploy('plan-a', [daily], { work_pool_name: 'narrow' });
      await deploy('plan-b', [daily], { work_pool_name: 'narrow' });
      await deploy('plan-dense', [{ schedule: { interval: 600 } }], { concurrency_limit: 1 });
      await deploy('plan-paused', [daily], { paused: true });
      await deploy('plan-inactive', [{ ...daily, active: false }]);
      const { schedules, clashes } = await read('/views/schedule?days=7');
      const rows = schedules.filter((one: { flow_name: string }) => one.flow_name === 'planned');
      assert.deepEqual(
        rows.map((row: { deployment_name: string; times: string[] }) => [row.deployment_name, row.times.length]),
        [
          ['plan-a', 7],
          ['plan-b', 7],
          ['plan-dense', 96],
        ],
      );
      assert.ok(Math.abs(rows[2].count - 1008) <= 2, String(rows[2].count));
      const [clash] = clashes.filter((one: { name: string }) => one.name === 'narrow');
      assert.deepEqual([clash.type, clash.limit, clash.count, clash.spans[0].peak], ['work_pool', 1, 7, 2]);
      assert.equal(clash.spans[0].start, rows[0].times[0]);
      assert.equal(rows[0].deployment_id, first.id);
      assert.ok(!clashes.some((one: { name: string }) => one.name === 'plan-dense'));
    });

    test('the next times of a schedule are computed before it is stored', async () => {
      const schedule = { cron: '30 6 * * 1', timezone: 'Europe/Berlin' };
      const { times } = await read('/views/schedule/times', { schedule, count: 3 });
      assert.equal(times.length, 3);
      assert.ok(times.every((time: string) => new Date(time).getUTCDay() === 1));
      const refused = await server.post('/views/schedule/times', { schedule: { cron: 'often' } });
      assert.equal(refused.status, 422);
    });

    test('a pool lists its queues, workers and runs, and shows why runs wait', async () => {
      const flow = await newFlow('pooled-work');
      await create('/work_pools/', { name: 'busy', type: 'process', concurrency_limit: 1 });
      const urgent = await create('/work_pools/busy/queues', { name: 'urgent', priority: 1 });
      const body = { flow_id: flow, name: 'on-busy', work_pool_name: 'busy', work_queue_name: 'urgent' };
      const { id } = await create('/deployments/', body);
      await run(id, 'RUNNING', 'under way');
      await run(id, 'SCHEDULED', 'waits', -30);
      await run(id, 'SCHEDULED', 'not due', 3600);
      await server.post('/work_pools/busy/workers/heartbeat', { name: 'w-1', heartbeat_interval_seconds: 30 });
      const { work_pools } = await read('/views/work_pools');
      const row = work_pools.find((one: { name: string }) => one.name === 'busy');
      assert.deepEqual([row.running, row.pending, row.queues, row.workers_online, row.deployments], [1, 0, 2, 1, 1]);
      assert.deepEqual(codes(row.reasons), ['work_pool_full']);
      const view = await read('/views/work_pools/busy');
      assert.deepEqual(names(view.active), ['under way']);
      assert.deepEqual(names(view.waiting), ['waits']);
      assert.deepEqual(names(view.queues), ['urgent', 'default']);
      assert.deepEqual([view.workers[0].name, view.workers[0].status], ['w-1', 'ONLINE']);
      assert.equal(view.work_pool.base_job_template.constructor, Object);
      const queue = await read(`/views/work_queues/${urgent.id}`);
      assert.deepEqual(names(queue.waiting), ['waits']);
      assert.equal(queue.work_pool.name, 'busy');
      assert.deepEqual(codes(queue.work_queue.reasons), ['work_pool_full', 'work_queue_not_polled']);
    });
  });
}
