import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addMicroseconds, type Timestamp } from '../../values/time.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000001';
const HOUR = 3_600_000_000;

for (const database of databases) {
  describe(`requests of user interfaces on ${database}`, () => {
    let server: TestServer;
    let flow: string;
    let now: Timestamp;
    before(async () => {
      server = await startServer({ database });
      now = server.context().now;
      flow = (await server.post('/flows/', { name: 'charted' })).body.id;
    });
    after(() => server.stop());

    const newRun = async (state: object) => (await server.post('/flow_runs/', { flow_id: flow, state })).body.id;
    const scheduled = (hours: number) =>
      newRun({ type: 'SCHEDULED', state_details: { scheduled_time: addMicroseconds(now, hours * HOUR) } });
    const newTaskRun = async (flowRun: string, type: string) => {
      const input = { flow_run_id: flowRun, task_key: type, dynamic_key: '0', state: { type: 'PENDING' } };
      const { id } = (await server.post('/task_runs/', input)).body;
      await server.post(`/task_runs/${id}/set_state`, { state: { type: 'RUNNING' }, force: true });
      await server.post(`/task_runs/${id}/set_state`, { state: { type }, force: true });
      return id;
    };

    test('deployments are counted by flow, and a flow without any has 0', async () => {
      await server.post('/deployments/', { name: 'd', flow_id: flow });
      const { body } = await server.post('/ui/flows/count-deployments', { flow_ids: [flow, UNKNOWN] });
      assert.deepEqual(body, { [flow]: 1, [UNKNOWN]: 0 });
      assert.deepEqual((await server.post('/ui/flows/count-deployments', { flow_ids: [] })).body, {});
      assert.equal((await server.post('/ui/flows/count-deployments', { flow_ids: ['x'] })).status, 422);
      assert.equal((await server.post('/ui/flows/count-deployments', {})).status, 422);
    });

    test('the next run of a flow is the one that is due first, late ones included', async () => {
      assert.deepEqual((await server.post('/ui/flows/next-runs', { flow_ids: [flow] })).body, { [flow]: null });
      await scheduled(2);
      const next = await scheduled(1);
      const nextOf = async () => (await server.post('/ui/flows/next-runs', { flow_ids: [flow] })).body[flow];
      assert.equal((await nextOf()).id, next);
      assert.deepEqual(Object.keys(await nextOf()), [
        ...['id', 'flow_id', 'name', 'state_name', 'state_type', 'next_scheduled_start_time'],
      ]);
      const late = await scheduled(-1);
      assert.equal((await nextOf()).id, late);
    });

    test('runs are points of a chart with their lateness in seconds, the latest first', async () => {
      const { body } = await server.post('/ui/flow_runs/history', { flows: { id: { any_: [flow] } } });
      assert.equal(body.length, 3);
      assert.equal(body[0].timestamp, addMicroseconds(now, 2 * HOUR));
      assert.deepEqual([body[0].lateness, body[0].duration], [0, 0]);
      assert.ok(body[2].lateness >= 3600);
      const bound = await server.post('/ui/flow_runs/history', { limit: 1, sort: 'EXPECTED_START_TIME_ASC' });
      assert.deepEqual(
        bound.body,
        [body[2]].map((point) => ({ ...point, lateness: bound.body[0].lateness })),
      );
      assert.equal((await server.post('/ui/flow_runs/history', { limit: 1001 })).status, 422);
    });

    test('task runs are counted by flow run, by state, and by outcome in 20 spans of time', async () => {
      const run = await newRun({ type: 'RUNNING' });
      const started = server.context().now;
      for (const type of ['COMPLETED', 'FAILED', 'CRASHED', 'CANCELLED', 'RUNNING']) await newTaskRun(run, type);
      const counts = await server.post('/ui/flow_runs/count-task-runs', { flow_run_ids: [run, UNKNOWN] });
      assert.deepEqual(counts.body, { [run]: 5, [UNKNOWN]: 0 });
      const filter = { flow_runs: { id: { any_: [run] } } };
      const byState = (await server.post('/ui/task_runs/count', filter)).body;
      assert.deepEqual([byState.COMPLETED, byState.RUNNING, byState.PENDING], [1, 1, 0]);
      assert.equal(Object.keys(byState).length, 9);
      const start_time = { after_: addMicroseconds(started, -HOUR), before_: addMicroseconds(started, 3 * HOUR) };
      const spans = await server.post('/ui/task_runs/dashboard/counts', { ...filter, task_runs: { start_time } });
      assert.equal(spans.body.length, 20);
      // 12 minutes each: the runs started in the first seconds of the second hour.
      assert.deepEqual(spans.body[5], { completed: 2, failed: 2 });
      assert.equal(
        spans.body.flatMap(Object.values<number>).reduce((sum: number, one: number) => sum + one),
        4,
      );
    });

    test('the spans need a start, and are empty when they end before it', async () => {
      const refused = await server.post('/ui/task_runs/dashboard/counts', { task_runs: {} });
      assert.deepEqual([refused.status, refused.body], [422, { detail: 'task_runs.start_time.after_ is required' }]);
      const start_time = { after_: now, before_: addMicroseconds(now, -HOUR) };
      const { body } = await server.post('/ui/task_runs/dashboard/counts', { task_runs: { start_time } });
      assert.deepEqual(
        body,
        Array.from({ length: 20 }, () => ({ completed: 0, failed: 0 })),
      );
    });

    test('a task run includes the name of its flow run', async () => {
      const run = await newRun({ type: 'RUNNING' });
      const { name } = (await server.get(`/flow_runs/${run}`)).body;
      const task = await newTaskRun(run, 'COMPLETED');
      assert.equal((await server.get(`/ui/task_runs/${task}`)).body.flow_run_name, name);
      const alone = await server.post('/task_runs/', { task_key: 't', dynamic_key: '1' });
      assert.equal((await server.get(`/ui/task_runs/${alone.body.id}`)).body.flow_run_name, null);
    });

    const validate = async (schema: object, values: object) =>
      (await server.post('/ui/schemas/validate', { schema, values })).body;

    test('every error of a form is reported at its field', async () => {
      const schema = {
        type: 'object',
        properties: {
          a: { type: 'integer' },
          list: { type: 'array', items: { type: 'object', required: ['f'], properties: { f: { type: 'boolean' } } } },
        },
        required: ['a'],
      };
      assert.deepEqual(await validate(schema, { a: 1 }), { errors: [], valid: true });
      assert.deepEqual(await validate(schema, {}), {
        errors: [{ property: 'a', errors: ["'a' is a required property"] }],
        valid: false,
      });
      const { errors } = await validate({ ...schema, required: ['a', 'list'] }, { a: 'x', list: [{}, { f: 1 }] });
      assert.deepEqual(errors, [
        { property: 'a', errors: ["'x' is not of type 'integer'"] },
        {
          property: 'list',
          errors: [{ index: 0, errors: [{ property: 'f', errors: ["'f' is a required property"] }] }].concat([
            { index: 1, errors: [{ property: 'f', errors: ["1 is not of type 'boolean'"] }] },
          ]),
        },
      ]);
      assert.deepEqual((await validate({ additionalProperties: false }, { x: 1 })).errors, [
        "Additional properties are not allowed ('x' was unexpected)",
      ]);
    });

    test('placeholders are filled in, a template may produce any type, and an invalid one is an error at its field', async () => {
      const schema = { type: 'object', properties: { a: { type: 'integer' } } };
      await server.post('/variables/', { name: 'five', value: 5 });
      const of = async (kind: string, rest: object) =>
        (await validate(schema, { a: { __prefect_kind: kind, ...rest } })).errors;
      assert.deepEqual(await of('json', { value: '5' }), []);
      assert.deepEqual(await of('jinja', { template: '{{ run.name }}' }), []);
      assert.deepEqual(await of('workspace_variable', { variable_name: 'five' }), []);
      const fault = (message: string) => [{ property: 'a', errors: [message] }];
      assert.deepEqual(
        await of('workspace_variable', { variable_name: 'six' }),
        fault("Variable 'six' not found in workspace."),
      );
      assert.deepEqual(
        await of('jinja', { template: '{{ 1 ' }),
        fault("Invalid jinja: unexpected end of template, expected 'end of print statement'."),
      );
      assert.deepEqual(await of('none', {}), fault("Missing 'value' key in __prefect object"));
    });

    test('a schema that cannot be applied is refused', async () => {
      const circular = {
        definitions: { A: { $ref: '#/definitions/A' } },
        properties: { a: { $ref: '#/definitions/A' } },
      };
      for (const schema of [{ type: 'foo' }, { $ref: '#/definitions/x' }, circular]) {
        const answer = await server.post('/ui/schemas/validate', { schema, values: { a: 1 } });
        assert.equal(answer.status, 422);
        assert.match(answer.body.detail, /^Invalid schema: /);
      }
    });
  });
}
