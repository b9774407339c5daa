import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';

const future = '2100-01-01T00:00:00Z';
const scheduled = (scheduled_time: string, name?: string) => ({
  type: 'SCHEDULED',
  ...(name ? { name } : {}),
  state_details: { scheduled_time },
});

for (const database of databases) {
  describe(`runs of deployments on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    let number = 0;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'etl', labels: { team: 'data' } })).body.id;
    });
    after(() => server.stop());

    async function deploy(body: object = {}): Promise<string> {
      const answer = await server.post('/deployments/', { flow_id: flowId, name: `d${number++}`, ...body });
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    }

    const run = (id: string, body: object = {}) => server.post(`/deployments/${id}/create_flow_run`, body);
    const countRuns = async (id: string) =>
      (await server.post('/flow_runs/count', { deployments: { id: { any_: [id] } } })).body;
    const runsOf = async (id: string) =>
      (await server.post('/flow_runs/filter', { flow_runs: { deployment_id: { any_: [id] } } })).body as {
        id: string;
        state_name: string;
      }[];

    /** Acts as if the scheduler had made this run. */
    async function autoSchedule(id: string, state: object): Promise<void> {
      const { body } = await run(id, { state });
      await server.context().transaction(async (tx) => {
        const update = tx.dialect.builder.updateTable('flow_run').set({ auto_scheduled: true });
        await tx.execute(update.where('workspace', '=', 1).where('id', '=', body.id));
      });
    }

    test('a run gets the fields of its deployment and its own', async () => {
      const id = await deploy({
        parameters: { a: 1, b: 2 },
        tags: ['x', 'y'],
        labels: { env: 'dev' },
        version: 'v1',
        job_variables: { j: 1 },
      });
      const answer = await run(id, { parameters: { b: 3 }, tags: ['y', 'z'], labels: { own: 1 }, name: 'mine' });
      assert.equal(answer.status, 201);
      const { body } = answer;
      assert.deepEqual(body.parameters, { a: 1, b: 3 });
      assert.deepEqual(body.tags, ['x', 'y', 'z']);
      assert.deepEqual(body.labels, {
        team: 'data',
        'prefect.flow.id': flowId,
        env: 'dev',
        'prefect.deployment.id': id,
        own: 1,
      });
      assert.deepEqual(
        [body.name, body.deployment_id, body.deployment_version, body.state_name, body.auto_scheduled],
        ['mine', id, 'v1', 'Scheduled', false],
      );
      assert.deepEqual(body.job_variables, {});
      assert.equal(body.next_scheduled_start_time, body.state.state_details.scheduled_time);
    });

    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'string' } },
      required: ['b'],
    };

    test('parameters get defaults and must fit the schema of the deployment', async () => {
      const id = await deploy({ parameters: { a: 1 }, parameter_openapi_schema: schema });
      const filled = { a: { __prefect_kind: 'json', value: '2' }, b: { __prefect_kind: 'none', value: 'x' } };
      assert.deepEqual((await run(id, { parameters: filled })).body.parameters, { a: 2, b: 'x' });
      const refused: [object, number, string][] = [
        [{}, 409, "Error creating flow run: Validation failed. Failure reason: 'b' is a required property"],
        [
          { parameters: { b: 3 } },
          409,
          "Error creating flow run: Validation failed for field 'b'. Failure reason: 3 is not of type 'string'",
        ],
        [
          { parameters: { b: { __prefect_kind: 'workspace_variable', variable_name: 'nope' } } },
          400,
          "Error hydrating flow run parameters: Variable 'nope' not found in workspace.",
        ],
      ];
      for (const [body, status, detail] of refused) {
        const answer = await run(id, body);
        assert.deepEqual([answer.status, answer.body], [status, { detail }]);
      }
      assert.equal((await run(id, { enforce_parameter_schema: false })).status, 201);
      const { body } = await server.post(`/deployments/${id}/create_flow_run/bulk`, [{}]);
      assert.equal(
        body.results[0].error,
        "Parameter validation failed: Validation failed. Failure reason: 'b' is a required property",
      );
      const without = await deploy({ parameter_openapi_schema: null });
      assert.equal((await run(without)).status, 409);
      assert.equal((await run(without, { enforce_parameter_schema: false })).status, 201);
    });

    test('job variables must fit the pool, with its defaults for missing ones', async () => {
      const variables = {
        type: 'object',
        properties: { command: { type: 'string' }, retries: { type: 'integer', default: 3 } },
        required: ['command', 'retries'],
      };
      const base_job_template = { job_configuration: { command: '{{ command }}' }, variables };
      await server.post('/work_pools/', { name: 'typed', type: 'process', base_job_template });
      const id = await deploy({ work_pool_name: 'typed' });
      const missing = await run(id);
      assert.deepEqual(
        [missing.status, missing.body.detail],
        [422, "Error creating flow run: Validation failed. Failure reason: 'command' is a required property"],
      );
      const { status, body } = await run(id, { job_variables: { command: 'x' } });
      assert.equal(status, 201);
      const changed = await server.patch(`/flow_runs/${body.id}`, { job_variables: { command: 5 } });
      assert.deepEqual(
        [changed.status, changed.body.detail],
        [
          422,
          "Error updating flow run: Validation failed for field 'command'. Failure reason: 5 is not of type 'string'",
        ],
      );
      const created = await server.post('/deployments/', {
        flow_id: flowId,
        name: 'typed',
        work_pool_name: 'typed',
        job_variables: { retries: 'x' },
      });
      assert.equal(created.status, 422);
      assert.match(created.body.detail, /^Error creating deployment: Validation failed for field 'retries'/);
      const patched = await server.patch(`/deployments/${id}`, {
        work_pool_name: 'typed',
        job_variables: { command: 1 },
      });
      assert.deepEqual(
        [patched.status, patched.body.detail],
        [409, `Error creating deployment: <ValidationError: "1 is not of type 'string'">`],
      );
    });

    test('an invalid template schema is reported instead of the job variables', async () => {
      await server.post('/work_pools/', { name: 'unsound', type: 'process' });
      const id = await deploy({ work_pool_name: 'unsound' });
      const earlier = (await run(id)).body;
      const variables = { type: 'object', properties: { command: { type: 'string' }, env: { enum: 3 } } };
      const base_job_template = { job_configuration: { command: '{{ command }}' }, variables };
      assert.equal((await server.patch('/work_pools/unsound', { base_job_template })).status, 204);
      const refused = [422, "Invalid schema: 3 is not of type 'array'"];
      const answer = ({ status, body }: { status: number; body: { detail?: string } }) => [status, body.detail];
      const job_variables = { command: 'x' };
      assert.deepEqual(answer(await run(id)), refused);
      assert.deepEqual(answer(await run(id, { job_variables })), refused);
      assert.deepEqual(answer(await server.patch(`/flow_runs/${earlier.id}`, { job_variables })), refused);
      const create = (given: object) =>
        server.post('/deployments/', { flow_id: flowId, name: 'unsound', work_pool_name: 'unsound', ...given });
      assert.deepEqual(answer(await create({ job_variables })), refused);
      assert.equal((await create({ job_variables: {} })).status, 201);
      const sound = { ...base_job_template, variables: { ...variables, properties: { command: { type: 'string' } } } };
      await server.patch('/work_pools/unsound', { base_job_template: sound });
      assert.equal((await run(id, { job_variables })).status, 201);
    });

    test('a repeated idempotency key returns the stored run', async () => {
      const id = await deploy();
      const first = await run(id, { idempotency_key: 'k', name: 'first' });
      const second = await run(id, { idempotency_key: 'k', name: 'second' });
      assert.deepEqual([first.status, second.status], [201, 200]);
      assert.deepEqual([second.body.id, second.body.name], [first.body.id, 'first']);
    });

    test('a run records the automation that created it', async () => {
      const id = await deploy();
      const automation = randomUUID();
      const headers = { 'prefect-automation-id': automation, 'prefect-automation-name': 'aGVsbG8=' };
      const { body } = await server.post(`/deployments/${id}/create_flow_run`, {}, headers);
      assert.deepEqual(body.created_by, { id: automation, type: 'AUTOMATION', display_value: 'hello' });
    });

    test("a queue is created in the deployment's pool, and refused without a pool", async () => {
      const id = await deploy({ work_queue_name: 'slow' });
      const own = (await run(id)).body;
      assert.deepEqual([own.work_pool_name, own.work_queue_name], ['default-agent-pool', 'slow']);
      const other = (await run(id, { work_queue_name: 'fast' })).body;
      assert.deepEqual([other.work_pool_name, other.work_queue_name], ['default-agent-pool', 'fast']);
      const without = await deploy();
      const refused = await run(without, { work_queue_name: 'q' });
      assert.deepEqual(
        [refused.status, refused.body.detail],
        [
          400,
          `Cannot create flow run in work queue q because deployment ${without} is not associated with a work pool. Please remove work_pool_name and try again.`,
        ],
      );
    });

    test('a missing parent or block is refused', async () => {
      const missing = randomUUID();
      const id = await deploy();
      assert.equal((await run(id, { parent_task_run_id: missing })).status, 409);
      assert.equal((await run(id, { infrastructure_document_id: missing })).status, 409);
      assert.equal(await countRuns(id), 0);
    });

    test('many runs are created at once, each independently', async () => {
      const id = await deploy();
      const url = `/deployments/${id}/create_flow_run/bulk`;
      const bodies = [{ name: 'one' }, { work_queue_name: 'q' }, { idempotency_key: 'b' }, { idempotency_key: 'b' }];
      const { status, body } = await server.post(url, bodies);
      assert.equal(status, 200);
      assert.deepEqual(
        body.results.map((result: { status: string; error: string | null }) => [result.status, result.error]),
        [
          ['CREATED', null],
          ['FAILED', 'Cannot create flow run in work queue q because deployment is not associated with a work pool.'],
          ['CREATED', null],
          ['CREATED', null],
        ],
      );
      assert.equal(body.results[2].flow_run_id, body.results[3].flow_run_id);
      assert.equal(await countRuns(id), 2);
      assert.deepEqual((await server.post(url, [])).body, { results: [] });
      const tooMany = await server.post(url, Array(101).fill({}));
      assert.deepEqual([tooMany.status, tooMany.body.detail], [400, 'Cannot create more than 100 flow runs at once.']);
    });

    test('a runner gets the scheduled runs in order, and the deployment becomes ready', async () => {
      const id = await deploy();
      const late = (await run(id, { state: scheduled('2100-01-02T00:00:00Z') })).body.id;
      const early = (await run(id, { state: scheduled('2100-01-01T00:00:00Z') })).body.id;
      await run(id, { state: { type: 'PENDING' } });
      const poll = async (body: object) => {
        const answer = await server.post('/deployments/get_scheduled_flow_runs', { deployment_ids: [id], ...body });
        assert.equal(answer.status, 200);
        return answer.body.map((found: { id: string }) => found.id);
      };
      const before = (await server.get(`/deployments/${id}`)).body;
      assert.deepEqual(await poll({}), [early, late]);
      assert.deepEqual(await poll({ scheduled_before: '2100-01-01T12:00:00Z' }), [early]);
      assert.deepEqual(await poll({ limit: 1 }), [early]);
      const after = (await server.get(`/deployments/${id}`)).body;
      assert.deepEqual([before.status, before.last_polled, after.status], ['NOT_READY', null, 'READY']);
      assert.ok(after.last_polled);
      assert.equal(after.updated, before.updated);
      const resource = { id: [`prefect.deployment.${id}`] };
      const { body } = await server.post('/events/filter', { filter: { resource, order: 'ASC' } });
      assert.deepEqual(
        body.events.map(({ event }: { event: string }) => event),
        ['prefect.deployment.created', 'prefect.deployment.ready'],
      );
      const unknown = await server.post('/deployments/get_scheduled_flow_runs', { deployment_ids: [randomUUID()] });
      assert.deepEqual([unknown.status, unknown.body], [200, []]);
    });

    test('scheduled runs are deleted when the deployment or a schedule changes', async () => {
      const schedules = [{ schedule: { cron: '0 0 * * *' } }];
      const body = { flow_id: flowId, name: 'ahead', schedules };
      const { id, schedules: stored } = (await server.post('/deployments/', body)).body;
      const changes = [
        () => server.patch(`/deployments/${id}`, {}),
        () => server.patch(`/deployments/${id}/schedules/${stored[0].id}`, {}),
        () => server.delete(`/deployments/${id}/schedules/${stored[0].id}`),
        () => server.post('/deployments/', body),
        () => server.post(`/deployments/${id}/pause_deployment`),
      ];
      for (const change of changes) {
        await autoSchedule(id, scheduled(future));
        assert.equal(await countRuns(id), 1);
        assert.ok((await change()).status < 300);
        assert.equal(await countRuns(id), 0);
      }
    });

    test('runs that are started, waiting for a slot, overdue or manual stay when a deployment changes', async () => {
      for (const goes of ['pause', 'schedule'] as const) {
        const id = await deploy({ schedules: [{ schedule: { cron: '0 0 * * *' } }] });
        const [schedule] = (await server.get(`/deployments/${id}/schedules`)).body;
        await autoSchedule(id, { type: 'PENDING' });
        await autoSchedule(id, scheduled(future, 'AwaitingConcurrencySlot'));
        await autoSchedule(id, scheduled('2020-01-01T00:00:00Z', 'Late'));
        await run(id, { state: scheduled(future) });
        await server.patch(`/deployments/${id}`, {});
        await server.patch(`/deployments/${id}/schedules/${schedule.id}`, { active: false });
        assert.equal(await countRuns(id), 4);
        // A pause deletes overdue runs, and so does the deletion of their schedule.
        await (goes === 'pause'
          ? server.post(`/deployments/${id}/pause_deployment`)
          : server.delete(`/deployments/${id}/schedules/${schedule.id}`));
        assert.deepEqual((await runsOf(id)).map((found) => found.state_name).sort(), [
          'AwaitingConcurrencySlot',
          'Pending',
          'Scheduled',
        ]);
        await server.delete(`/deployments/${id}`);
        assert.deepEqual((await runsOf(id)).map((found) => found.state_name).sort(), [
          'AwaitingConcurrencySlot',
          'Pending',
        ]);
      }
    });

    test('child runs stay without a parent when their parent is deleted with its deployment or by a pause', async () => {
      for (const goes of ['delete', 'pause'] as const) {
        const id = await deploy();
        await autoSchedule(id, scheduled(future));
        const [parentRun] = await runsOf(id);
        const task = { flow_run_id: parentRun!.id, task_key: 'task', dynamic_key: '0' };
        const parent_task_run_id = (await server.post('/task_runs/', task)).body.id;
        const { body: child } = await server.post('/flow_runs/', { flow_id: flowId, parent_task_run_id });
        await (goes === 'delete'
          ? server.delete(`/deployments/${id}`)
          : server.post(`/deployments/${id}/pause_deployment`));
        assert.equal((await server.get(`/flow_runs/${parentRun!.id}`)).status, 404);
        assert.equal((await server.get(`/flow_runs/${child.id}`)).body.parent_task_run_id, null);
      }
    });
  });
}
