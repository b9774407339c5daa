import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const objects = ['flows', 'flow_runs', 'task_runs', 'deployments'] as const;
type Kind = (typeof objects)[number];

for (const database of databases) {
  describe(`filters across objects on ${database}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer({ database });
    });
    after(() => server.stop());

    const make = async (path: string, body: object): Promise<string> => {
      const answer = await server.post(path, body);
      assert.ok(answer.status === 200 || answer.status === 201, answer.text);
      return answer.body.id;
    };

    /** A flow, its deployment, a run of the deployment, and a task run of the run. */
    const makeChain = async (name: string): Promise<Record<Kind, string>> => {
      const flows = await make('/flows/', { name });
      const deployments = await make('/deployments/', { name, flow_id: flows });
      const flow_runs = await make(`/deployments/${deployments}/create_flow_run`, { name });
      // Deleting a deployment deletes its scheduled runs.
      await make(`/flow_runs/${flow_runs}/set_state`, { state: { type: 'RUNNING' }, force: true });
      const task = { name, flow_run_id: flow_runs, task_key: 'task', dynamic_key: '0' };
      const task_runs = await make('/task_runs/', task);
      await make('/artifacts/', {
        key: name.replace('_', '-'),
        type: 'text',
        data: '',
        flow_run_id: flow_runs,
        task_run_id: task_runs,
      });
      return { flows, deployments, flow_runs, task_runs };
    };

    // Source: the Prefect server 3.9.1. A filter requires a related object, not only a row that names its id.
    test('deleted objects match no filter across objects, by ids or by other fields', async () => {
      const chains = [await makeChain('whole')];
      for (const gone of ['deployments', 'task_runs', 'flow_runs', 'flows'] as const) {
        const chain = await makeChain(`without-${gone}`);
        assert.equal((await server.delete(`/${gone}/${chain[gone]}`)).status, 204);
        chains.push(chain);
      }
      for (const chain of chains) {
        for (const counted of [...objects, 'artifacts']) {
          for (const related of objects) {
            const id = { any_: [chain[related]] };
            const count = async (filter: object) =>
              (await server.post(`/${counted}/count`, { [related]: filter })).body;
            assert.equal(
              await count({ id }),
              await count({ id, name: { like_: '' } }),
              `${counted} related to ${related} of ${chains.indexOf(chain)}`,
            );
          }
        }
      }
      const [, withoutDeployment] = chains;
      const ofDeployment = { any_: [withoutDeployment?.deployments] };
      const count = async (body: object) => (await server.post('/flow_runs/count', body)).body;
      assert.equal(await count({ deployments: { id: ofDeployment } }), 0);
      assert.equal(await count({ flow_runs: { deployment_id: ofDeployment } }), 1);
    });
  });
}
