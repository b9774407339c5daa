/** A run is made, and cancelled, in several ways: each passes the same steps. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { Actions } from '../../services/actions.ts';
import { backfills } from '../../services/backfills.ts';
import { scheduler } from '../../services/scheduler.ts';
import { Triggers } from '../../services/triggers.ts';
import { newId } from '../../values/id.ts';

const parameter_openapi_schema = {
  type: 'object',
  properties: { day: {}, depth: { type: 'integer' } },
};
const placeholder = { __prefect_kind: 'workspace_variable', variable_name: 'day' };
const noLongerThere = { __prefect_kind: 'workspace_variable', variable_name: 'gone' };

for (const database of databases) {
  describe(`ways to make and to cancel a run on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      await post('/variables/', { name: 'day', value: 'monday' });
      await post('/work_pools/', { name: 'pool', type: 'process' });
      flow_id = (await post('/flows/', { name: 'made', labels: { team: 'data' } })).id;
    });
    after(() => server.stop());

    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
    const post = async (path: string, body: object): Promise<any> => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, `${path}: ${answer.text}`);
      return answer.body;
    };
    const deploy = async (more: object = {}): Promise<string> => {
      const fixed = { flow_id, name: newId(), version: 'v7', tags: ['nightly'], labels: { stage: 'prod' } };
      const pool = { work_pool_name: 'pool', work_queue_name: 'urgent', job_variables: { cpu: 1 } };
      const schema = { parameter_openapi_schema, enforce_parameter_schema: true };
      return (await post('/deployments/', { ...fixed, ...pool, ...schema, parameters: { day: placeholder }, ...more }))
        .id;
    };
    const runsOf = (id: string) => post('/flow_runs/filter', { deployments: { id: { any_: [id] } } });
    /** Fires an automation with this action on an event. */
    const automate = async (action: object, event: object = {}) => {
      const expect = [`go.${newId()}`];
      const trigger = { type: 'event', posture: 'Reactive', expect, threshold: 1, within: 0 };
      const automation = await post('/automations/', { name: 'way', trigger, actions: [action] });
      const resource = { 'prefect.resource.id': 'thing.1' };
      await post('/events', [{ id: newId(), occurred: server.context().now, event: expect[0], resource, ...event }]);
      await new Triggers().runOnce(server.context());
      const actions = new Actions(server.server);
      await actions.runOnce(server.context());
      await actions.settled();
      await server.delete(`/automations/${automation.id}`);
      const told = await post('/events/filter', {
        filter: {
          event: { prefix: ['prefect.automation.action'] },
          resource: { id: [`prefect.automation.${automation.id}`] },
        },
      });
      return told.events.find(({ event: name }: { event: string }) => name.endsWith('.failed'))?.payload.reason;
    };
    const start = '2026-03-01T00:00:00Z';
    const march = { start_time: start, end_time: '2026-03-01T23:00:00Z', schedule: { cron: '0 6 * * *' } };
    const schedule = { cron: '0 0 1 1 *' };

    /** Each makes a run of a deployment with these parameters, and answers why it could not. */
    const ways: Record<string, (id: string, parameters: object) => Promise<string | undefined>> = {
      async request(id, parameters) {
        const answer = await server.post(`/deployments/${id}/create_flow_run`, { parameters });
        return answer.status === 201 ? undefined : answer.body.detail;
      },
      async bulk(id, parameters) {
        const { results } = await post(`/deployments/${id}/create_flow_run/bulk`, [{ parameters }]);
        return results[0].error ?? undefined;
      },
      async automation(id, parameters) {
        return automate({ type: 'run-deployment', source: 'selected', deployment_id: id, parameters });
      },
      async backfill(deployment_id, parameters) {
        const backfill = await post('/backfills/', { ...march, deployment_id, name: 'march', parameters });
        await backfills.runOnce(server.context());
        return (await server.get(`/backfills/${backfill.id}`)).body.problem ?? undefined;
      },
      async schedule(id, parameters) {
        await post(`/deployments/${id}/schedules`, [{ schedule, parameters }]);
        await scheduler.runOnce(server.context());
        return undefined;
      },
    };

    for (const [name, make] of Object.entries(ways)) {
      test(`a run of a deployment made by ${name} is filled in, and has what its deployment gives`, async () => {
        const id = await deploy();
        assert.equal(await make(id, { depth: 2 }), undefined);
        const runs = await runsOf(id);
        assert.ok(runs.length > 0);
        for (const run of runs) {
          assert.deepEqual(run.parameters, { day: 'monday', depth: 2 });
          assert.deepEqual(
            [run.state_type, run.deployment_version, run.work_queue_name],
            ['SCHEDULED', 'v7', 'urgent'],
          );
          assert.deepEqual(run.job_variables, {});
          assert.ok(run.tags.includes('nightly'));
          const { stage, ...labels } = run.labels;
          assert.deepEqual([stage, labels['prefect.flow.id'], labels['prefect.deployment.id']], ['prod', flow_id, id]);
        }
      });

      test(`parameters that do not fit make no run by ${name}, unless it is scheduled`, async () => {
        const id = await deploy();
        const reason = await make(id, { depth: 'deep' });
        // The flow itself says so when it starts.
        if (name === 'schedule')
          return assert.deepEqual((await runsOf(id))[0].parameters, { day: 'monday', depth: 'deep' });
        assert.match(reason ?? '', /Validation failed for field 'depth'/);
        assert.deepEqual(await runsOf(id), []);
      });

      test(`a placeholder without a value makes no run by ${name}, unless it is scheduled`, async () => {
        const id = await deploy();
        const reason = await make(id, { day: noLongerThere });
        if (name === 'schedule') return assert.deepEqual((await runsOf(id))[0].parameters, { day: noLongerThere });
        assert.match(reason ?? '', /gone/);
        assert.deepEqual(await runsOf(id), []);
      });
    }

    const states = ['SCHEDULED', 'PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
    const cancels: Record<string, (id: string) => Promise<unknown>> = {
      request: (id) => post(`/flow_runs/${id}/set_state`, { state: { type: 'CANCELLING' } }),
      bulk: (id) =>
        post('/flow_runs/bulk_set_state', { flow_runs: { id: { any_: [id] } }, state: { type: 'CANCELLING' } }),
      automation: (id) =>
        automate(
          { type: 'cancel-flow-run' },
          { related: [{ 'prefect.resource.id': `prefect.flow-run.${id}`, 'prefect.resource.role': 'flow-run' }] },
        ),
    };

    test('a run is cancelled from the same states in each way', async () => {
      const outcomes: Record<string, string[]> = {};
      for (const [name, cancel] of Object.entries(cancels)) {
        outcomes[name] = [];
        for (const type of states) {
          const { id } = await post('/flow_runs/', {
            flow_id,
            deployment_id: await deploy(),
            state: { type: 'PENDING' },
          });
          await post(`/flow_runs/${id}/set_state`, { state: { type }, force: true });
          await cancel(id);
          outcomes[name].push((await server.get(`/flow_runs/${id}`)).body.state_type);
        }
      }
      const { request, ...others } = outcomes;
      assert.deepEqual(request, [
        ...['CANCELLED', 'CANCELLING', 'CANCELLING', 'CANCELLING'],
        ...['COMPLETED', 'FAILED', 'CANCELLED'],
      ]);
      for (const [name, found] of Object.entries(others)) assert.deepEqual(found, request, name);
    });
  });
}
