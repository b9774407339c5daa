// Runs in a process of its own: steps are counted only in code that is loaded afterwards, and counting slows it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { stepsOf } from '../../test/support/steps.ts';
import { ANY } from '../changes/hub.ts';
import { addSeconds, systemClock } from '../values/time.ts';
import { scheduler } from './scheduler.ts';

const daily = { cron: '0 6 * * *', timezone: 'Europe/Berlin' };

interface Run {
  readonly id: string;
  readonly idempotency_key: string;
  readonly expected_start_time: string;
  readonly [column: string]: unknown;
}

for (const database of databases) {
  describe(`the scheduler on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    let number = 0;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'scheduled', labels: { team: 'a' } })).body.id;
    });
    after(() => server.stop());

    async function deploy(schedules: object[], rest: object = {}) {
      const answer = await server.post('/deployments/', { flow_id, name: `d${number++}`, schedules, ...rest });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    }
    /** Two replicas pass at the same time, so many seconds from now, until nothing is left to do. */
    async function pass(seconds = 0): Promise<void> {
      const now = addSeconds(systemClock.now(), seconds);
      const left = await Promise.all([scheduler.runOnce(server.context(now)), scheduler.runOnce(server.context(now))]);
      if (left.includes(true)) await pass(seconds);
    }
    async function runsOf(id: string): Promise<Run[]> {
      const filter = { deployments: { id: { any_: [id] } }, sort: 'EXPECTED_START_TIME_ASC' };
      return (await server.post('/flow_runs/filter', filter)).body;
    }
    const count = async (id: string) => (await runsOf(id)).length;

    test('a schedule has three scheduled runs, like those of the reference', async () => {
      const deployment = await deploy([{ schedule: daily, slug: 'mornings', parameters: { b: 2, c: 1.0 } }], {
        parameters: { a: 1, b: 1 },
        tags: ['x'],
        version: '7',
        labels: { own: 'b' },
      });
      await pass();
      const runs = await runsOf(deployment.id);
      assert.equal(runs.length, 3);
      const [run] = runs;
      const [schedule] = deployment.schedules;
      const key = new RegExp(`^scheduled ${deployment.id} ${schedule.id} \\d{4}-\\d\\d-\\d\\d 06:00:00\\+0[12]:00$`);
      assert.match(run?.idempotency_key ?? '', key);
      assert.deepEqual(run?.['parameters'], { a: 1, b: 2, c: 1 });
      assert.deepEqual(run?.['tags'], ['auto-scheduled', 'x']);
      assert.deepEqual(run?.['labels'], {
        team: 'a',
        'prefect.flow.id': flow_id,
        own: 'b',
        'prefect.deployment.id': deployment.id,
      });
      assert.deepEqual(run?.['created_by'], { id: schedule.id, type: 'SCHEDULE', display_value: 'mornings' });
      assert.deepEqual(
        [run?.['auto_scheduled'], run?.['deployment_version'], run?.['run_count'], run?.['state_type']],
        [true, '7', 0, 'SCHEDULED'],
      );
      const state = run?.['state'] as { message: string; state_details: { scheduled_time: string } };
      assert.equal(state.message, 'Flow run scheduled');
      assert.equal(state.state_details.scheduled_time, run?.expected_start_time);
      assert.equal(run?.['next_scheduled_start_time'], run?.expected_start_time);
      const history = await server.get(`/flow_run_states/?flow_run_id=${run?.id}`);
      assert.equal(history.body.length, 1);
      const tagged = await server.post('/flow_runs/count', {
        deployments: { id: { any_: [deployment.id] } },
        flow_runs: { tags: { all_: ['auto-scheduled', 'x'] } },
      });
      assert.equal(tagged.body, 3);
    });

    test('scheduling runs causes no events', async () => {
      const deployment = await deploy([{ schedule: daily }]);
      await pass();
      const [run] = await runsOf(deployment.id);
      const filter = { resource: { id: [`prefect.flow-run.${run?.id}`] } };
      assert.deepEqual((await server.post('/events/filter', { filter })).body.events, []);
    });

    test('a frequent schedule is filled for an hour, a very frequent one up to a hundred runs', async () => {
      const minutely = await deploy([{ schedule: { interval: 60 } }]);
      const secondly = await deploy([{ schedule: { interval: 1 } }]);
      const rare = await deploy([{ schedule: { cron: '0 0 1 1 *' } }]);
      await pass();
      assert.ok([60, 61].includes(await count(minutely.id)), String(await count(minutely.id)));
      assert.equal(await count(secondly.id), 100);
      assert.ok((await count(rare.id)) <= 1);
      await pass(60);
      assert.ok((await count(minutely.id)) >= 61);
      assert.ok((await count(secondly.id)) > 100);
    });

    test('runs that reach only a few seconds ahead are followed by others before the last is due', async () => {
      const { config } = server.server;
      const restore = { ...config };
      Object.assign(config, { schedulerMinSeconds: 0, schedulerMaxRuns: 10 });
      try {
        const deployment = await deploy([{ schedule: { interval: 2 } }]);
        // The interval at which the service passes when nothing wakes it.
        const start = systemClock.now();
        for (let seconds = 0; seconds <= 40; seconds += 5) {
          await scheduler.runOnce(server.context(addSeconds(start, seconds)));
        }
        const times = (await runsOf(deployment.id)).map((run) => Date.parse(run.expected_start_time) / 1000);
        assert.deepEqual(
          times.map((time) => time - (times[0] ?? 0)),
          times.map((_, place) => 2 * place),
        );
        assert.ok(times.length > 20, String(times.length));
      } finally {
        Object.assign(config, restore);
      }
    });

    test('repeated passes, at once or after an outage, create no run twice', async () => {
      const deployment = await deploy([{ schedule: daily }, { schedule: daily, slug: 'again' }]);
      await pass();
      await pass(1);
      assert.equal(await count(deployment.id), 6);
      // Ten days later no run has started: existing runs stay, and missed ones are not created.
      await pass(10 * 86_400);
      const keys = (await runsOf(deployment.id)).map(({ idempotency_key }) => idempotency_key);
      assert.equal(keys.length, 12);
      assert.equal(new Set(keys).size, 12);
    });

    test('a run that is due makes room for another', async () => {
      const deployment = await deploy([{ schedule: daily }]);
      await pass();
      const [first] = await runsOf(deployment.id);
      const seconds = (Date.parse(first?.expected_start_time ?? '') - Date.now()) / 1000 + 60;
      await pass(seconds);
      assert.equal(await count(deployment.id), 4);
    });

    test('a paused deployment or schedule creates no runs, and its scheduled ones are deleted', async () => {
      const deployment = await deploy([{ schedule: daily }], { paused: true });
      await pass();
      assert.equal(await count(deployment.id), 0);
      await server.post(`/deployments/${deployment.id}/resume_deployment`);
      await pass();
      assert.equal(await count(deployment.id), 3);
      await server.post(`/deployments/${deployment.id}/pause_deployment`);
      await pass(3600);
      assert.equal(await count(deployment.id), 0);
      await server.post(`/deployments/${deployment.id}/resume_deployment`);
      const [schedule] = deployment.schedules;
      await server.patch(`/deployments/${deployment.id}/schedules/${schedule.id}`, { active: false });
      await pass();
      assert.equal(await count(deployment.id), 0);
    });

    test('an edit through any route reschedules the runs at once, from the stored values', async () => {
      const deployment = await deploy([{ schedule: daily, slug: 's' }]);
      await pass();
      const url = `/deployments/${deployment.id}`;
      const hours = async () => new Set((await runsOf(deployment.id)).map((run) => run.idempotency_key.slice(-14, -6)));
      const [schedule] = deployment.schedules;
      await server.patch(`${url}/schedules/${schedule.id}`, { schedule: { ...daily, cron: '0 7 * * *' } });
      assert.equal(await count(deployment.id), 0);
      await pass();
      assert.deepEqual([await hours(), await count(deployment.id)], [new Set(['07:00:00']), 3]);
      await server.post(`${url}/schedules`, [{ schedule: { ...daily, cron: '0 8 * * *' } }]);
      await pass();
      assert.deepEqual([await hours(), await count(deployment.id)], [new Set(['07:00:00', '08:00:00']), 6]);
      await server.delete(`${url}/schedules/${schedule.id}`);
      await pass();
      assert.deepEqual([await hours(), await count(deployment.id)], [new Set(['08:00:00']), 3]);
      await server.patch(url, { parameters: { p: 1 } });
      await pass();
      assert.deepEqual(
        (await runsOf(deployment.id)).map(({ parameters }) => parameters),
        [{ p: 1 }, { p: 1 }, { p: 1 }],
      );
      await server.patch(url, { schedules: [] });
      await pass();
      assert.equal(await count(deployment.id), 0);
    });

    test('an operation wakes the scheduler, unless there is nothing to schedule', async () => {
      const woken: string[] = [];
      const stop = server.server.hub.hear('work', ANY, (_, service) => woken.push(service));
      await deploy([]);
      assert.deepEqual(woken, []);
      const { id } = await deploy([{ schedule: daily }]);
      assert.deepEqual(woken, ['scheduler']);
      await server.post(`/deployments/${id}/resume_deployment`);
      await server.patch(`/deployments/${id}`, { description: 'new' });
      assert.equal(woken.length, 3);
      stop();
    });

    test('a client may schedule runs within its own bounds, also of a paused deployment', async () => {
      const interval = { interval: 60, anchor_date: '2020-01-01T00:00:00Z' };
      const start_time = '2030-01-01T00:00:00Z';
      // The counts are those of the Prefect server 3.9.1.
      const cases: [object, object, number][] = [
        [interval, {}, 61],
        [{ ...interval, interval: 1 }, {}, 100],
        [interval, { min_runs: 70 }, 70],
        [interval, { min_runs: 200, max_runs: 150 }, 150],
        [interval, { max_runs: 2 }, 2],
        [interval, { max_runs: -1 }, 1],
        [{ ...interval, interval: 86_400 * 40 }, {}, 2],
        [{ ...interval, interval: 86_400 * 40 }, { end_time: '2032-01-01T00:00:00Z' }, 3],
        [{ ...interval, interval: 86_400 }, { end_time: '2029-01-05T00:00:00Z' }, 0],
        [{ ...interval, interval: 86_400 }, { min_time: 86_400 * 5 }, 6],
        [{ cron: '* * * * *' }, { start_time: '2029-12-31T23:59:00.5Z' }, 61],
      ];
      for (const [schedule, bounds, expected] of cases) {
        const { id } = await deploy([{ schedule }], { paused: true });
        const answer = await server.post(`/deployments/${id}/schedule`, { start_time, ...bounds });
        assert.deepEqual([answer.status, answer.body], [200, null]);
        const made = (await server.post('/flow_runs/count', { deployments: { id: { any_: [id] } } })).body;
        assert.equal(made, expected, JSON.stringify({ schedule, bounds }));
      }
    });

    test('a schedule that can never fire, or costs too much, creates no runs and delays no other', async () => {
      const bombs = [
        { cron: '0 0 30 2 *' },
        { cron: '0 0 31 4,6,9,11 *', timezone: 'Asia/Tokyo' },
        { rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30' },
        { rrule: 'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30' },
        { rrule: 'DTSTART:19700101T000000\nRRULE:FREQ=SECONDLY;BYSECOND=1;COUNT=2000000000' },
        { rrule: 'DTSTART:20200101T000000\nRRULE:FREQ=DAILY;BYHOUR=5\nEXRULE:FREQ=SECONDLY' },
        { rrule: 'DTSTART:00010101T000000\nRRULE:FREQ=MINUTELY;BYMONTH=13;COUNT=5' },
        { interval: 1e12 },
        { interval: 8e13 },
      ];
      const made = await Promise.all(bombs.map((schedule) => deploy([{ schedule }, { schedule: daily }])));
      const steps = await stepsOf(() => pass());
      assert.ok(steps < 10_000_000, `one pass took ${steps} steps`);
      for (const [index, { id }] of made.entries()) {
        const [bomb] = bombs.slice(index);
        assert.equal(await count(id), 3, `only the daily schedule has runs beside ${JSON.stringify(bomb)}`);
        const answer = await server.post(`/deployments/${id}/schedule`, {
          end_time: '9999-12-31T00:00:00Z',
          min_runs: 1,
        });
        assert.equal(answer.status, 200, answer.text);
      }
    });

    test('deleting a deployment deletes its scheduled runs', async () => {
      const { id } = await deploy([{ schedule: daily }]);
      await pass();
      await server.delete(`/deployments/${id}`);
      await pass(86_400);
      assert.equal(await count(id), 0);
    });

    test('times at the end of the calendar cause no error', async () => {
      const { id } = await deploy([
        { schedule: { interval: 86_400 } },
        { schedule: daily },
        { schedule: { rrule: 'FREQ=DAILY' } },
      ]);
      for (const start_time of ['9999-12-31T00:00:00Z', '0001-01-01T00:00:00Z']) {
        assert.equal((await server.post(`/deployments/${id}/schedule`, { start_time })).status, 200);
      }
    });
  });
}
