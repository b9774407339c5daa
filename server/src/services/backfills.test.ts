import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { backfills } from './backfills.ts';

for (const database of databases) {
  describe(`backfills on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    let deployments = 0;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'daily' })).body.id;
    });
    after(() => server.stop());

    const range = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-07T23:00:00Z' };
    const daily = { cron: '0 6 * * *', timezone: 'Europe/Zurich' };
    async function deployment(more: object = {}): Promise<{ id: string; schedules: { id: string }[] }> {
      const answer = await server.post('/deployments/', { name: `d${deployments++}`, flow_id, ...more });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    }
    const create = async (more: object) => {
      const answer = await server.post('/backfills/', { ...range, schedule: daily, ...more });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    /** Two replicas pass at the same time, until nothing is left to do. */
    async function pass(): Promise<void> {
      const left = await Promise.all([backfills.runOnce(server.context()), backfills.runOnce(server.context())]);
      if (left.includes(true)) await pass();
    }
    const read = async ({ id }: { id: string }) => (await server.get(`/backfills/${id}`)).body;
    const dates = async ({ id }: { id: string }) => (await server.get(`/backfills/${id}/dates`)).body;
    const setState = (id: string, type: string) =>
      server.post(`/flow_runs/${id}/set_state`, { state: { type }, force: true });
    const counts = async (backfill: { id: string }) => {
      const { status, waiting, unfinished, completed, failed, cancelled, deleted } = await read(backfill);
      return [status, waiting, unfinished, completed, failed, cancelled, deleted];
    };

    test('the plan counts the dates and creates nothing', async () => {
      const { id: deployment_id, schedules } = await deployment({ schedules: [{ schedule: daily, active: false }] });
      const asked = { ...range, deployment_id };
      const plan = (await server.post('/backfills/plan', { ...asked, schedule: daily })).body;
      assert.deepEqual([plan.count, plan.dates[0], plan.dates[6]], [7, '2026-03-01T05:00:00Z', '2026-03-07T05:00:00Z']);
      const stored = await server.post('/backfills/plan', { ...asked, schedule_id: schedules[0]?.id });
      assert.deepEqual(stored.body, plan);
      assert.deepEqual((await server.post('/backfills/filter', { deployment_id })).body, []);
      const refused = async (more: object, status: number, text: RegExp) => {
        const answer = await server.post('/backfills/plan', { ...asked, schedule: daily, ...more });
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.text, text);
      };
      await refused({ end_time: '2999-01-01T00:00:00Z' }, 422, /end_time: must not be in the future/);
      await refused({ end_time: '2026-02-01T00:00:00Z' }, 422, /must not be before start_time/);
      await refused({ schedule: null }, 422, /schedule or schedule_id must be given/);
      await refused({ schedule: { cron: '0 0 30 2 *' } }, 422, /no date/);
      await refused({ schedule: { interval: 60 } }, 422, /more than 1000 dates/);
      await refused({ deployment_id: crypto.randomUUID() }, 404, /Deployment not found/);
      await refused({ schedule: null, schedule_id: crypto.randomUUID() }, 404, /Schedule not found/);
    });

    test('each date gets one run, a few at a time, and the backfill ends with the last one', async () => {
      const { id: deployment_id } = await deployment({ parameters: { day: null, deep: false } });
      const backfill = await create({
        ...{ deployment_id, name: 'march', max_unfinished: 3, date_parameter: 'day', parameters: { deep: true } },
      });
      assert.deepEqual(await counts(backfill), ['RUNNING', 7, 0, 0, 0, 0, 0]);
      for (let round = 0; round < 3; round++) {
        await pass();
        const { unfinished } = await read(backfill);
        assert.equal(unfinished, round < 2 ? 3 : 1);
        for (const { flow_run_id, state_type } of await dates(backfill)) {
          if (state_type === 'SCHEDULED') await setState(flow_run_id, round === 1 ? 'FAILED' : 'COMPLETED');
        }
      }
      await pass();
      assert.deepEqual(await counts(backfill), ['COMPLETED', 0, 0, 4, 3, 0, 0]);
      const made = await dates(backfill);
      const run = (await server.get(`/flow_runs/${made[0].flow_run_id}`)).body;
      assert.deepEqual(run.parameters, { day: '2026-03-01T05:00:00Z', deep: true });
      assert.equal(run.expected_start_time, '2026-03-01T05:00:00Z');
      assert.equal(run.labels['prefect.backfill.date'], '2026-03-01T05:00:00Z');
      assert.deepEqual(run.tags, ['backfill', 'backfill:march']);
      const filter = { deployments: { id: { any_: [deployment_id] } } };
      assert.equal((await server.post('/flow_runs/count', filter)).body, 7);
      await server.delete(`/flow_runs/${run.id}`);
      assert.deepEqual(await counts(backfill), ['COMPLETED', 0, 0, 3, 3, 0, 1]);
      const events = await server.post('/events/filter', {
        filter: { resource: { id: [`prefect.backfill.${backfill.id}`] }, order: 'ASC' },
      });
      assert.deepEqual(
        events.body.events.map(({ event }: { event: string }) => event),
        ['prefect.backfill.created', 'prefect.backfill.completed'],
      );
    });

    test('a paused backfill creates no runs until it is resumed, and a cancelled one cancels its runs', async () => {
      const { id: deployment_id } = await deployment();
      const backfill = await create({ deployment_id, max_unfinished: 2 });
      const change = (name: string) => server.post(`/backfills/${backfill.id}/${name}`);
      assert.equal((await change('pause')).body.status, 'PAUSED');
      assert.equal((await change('pause')).status, 409);
      await pass();
      assert.deepEqual(await counts(backfill), ['PAUSED', 7, 0, 0, 0, 0, 0]);
      assert.equal((await change('resume')).body.status, 'RUNNING');
      await pass();
      assert.deepEqual(await counts(backfill), ['RUNNING', 5, 2, 0, 0, 0, 0]);
      const [first] = await dates(backfill);
      await setState(first.flow_run_id, 'RUNNING');
      assert.equal((await change('cancel')).body.status, 'CANCELLING');
      await pass();
      await pass();
      assert.deepEqual(await counts(backfill), ['CANCELLING', 5, 1, 0, 0, 1, 0]);
      assert.equal((await dates(backfill))[0].state_type, 'CANCELLING');
      await setState(first.flow_run_id, 'CANCELLED');
      await pass();
      assert.deepEqual(await counts(backfill), ['CANCELLED', 5, 0, 0, 0, 2, 0]);
      assert.equal((await change('resume')).status, 409);
    });

    test('a backfill whose runs cannot be created is paused and says why', async () => {
      const { id: deployment_id } = await deployment({
        parameter_openapi_schema: { type: 'object', properties: { n: { type: 'integer' } } },
        parameters: { n: 1 },
        enforce_parameter_schema: true,
      });
      const backfill = await create({ deployment_id, parameters: { n: 'many' } });
      await pass();
      const paused = await read(backfill);
      assert.deepEqual([paused.status, paused.waiting], ['PAUSED', 7]);
      assert.match(paused.problem, /Validation failed for field 'n'/);
      await server.delete(`/deployments/${deployment_id}`);
      assert.equal((await server.get(`/backfills/${backfill.id}`)).status, 404);
    });
  });
}
