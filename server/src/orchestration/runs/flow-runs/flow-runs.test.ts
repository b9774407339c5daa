import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, databases, startServer, type TestServer } from '../../../../test/support/server.ts';

for (const database of databases) {
  describe(`flow runs on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'runs', tags: ['from-flow'], labels: { team: 'a' } })).body.id;
    });
    after(() => server.stop());

    const create = async (fields: object = {}) =>
      (await server.post('/flow_runs/', { flow_id: flowId, ...fields })).body;
    const read = async (id: string) => (await server.get(`/flow_runs/${id}`)).body;
    const events = async (id: string) => {
      const rows = await server.server.store
        .reads(server.server.defaultWorkspace)
        .query(
          server.server.store.dialect.builder
            .selectFrom('event')
            .selectAll()
            .where('workspace', '=', server.server.defaultWorkspace)
            .where('resource_id', '=', `prefect.flow-run.${id}`)
            .orderBy('occurred'),
        );
      return rows;
    };

    test('a new run is pending, named and labelled, and its event has the id of its state', async () => {
      // The client keeps the trace of its caller in such a label.
      const traced = { __OTEL_TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
      const labels = { team: 'b', n: 1, ...traced };
      const answer = await server.post('/flow_runs/', { flow_id: flowId, tags: ['own'], labels });
      assert.equal(answer.status, 201);
      const run = answer.body;
      assert.match(run.name, /^[a-z]+-[a-z]+$/);
      assert.equal(run.state.type, 'PENDING');
      assert.equal(run.state_name, 'Pending');
      assert.equal(run.expected_start_time, run.state.timestamp);
      assert.deepEqual(run.labels, { 'prefect.flow.id': flowId, ...labels });
      const { body: elsewhere } = await server.post('/flows/', { name: 'of-the-deployment', labels: { team: 'c' } });
      const { body: deployment } = await server.post('/deployments/', { name: 'other', flow_id: elsewhere.id });
      const deployed = await server.post('/flow_runs/', { flow_id: flowId, deployment_id: deployment.id });
      const ids = { 'prefect.flow.id': elsewhere.id, 'prefect.deployment.id': deployment.id };
      assert.deepEqual(deployed.body.labels, { team: 'c', ...ids }, 'the labels of the deployed flow');
      const { estimated_start_time_delta: _before, ...created } = run;
      const { estimated_start_time_delta: _after, ...stored } = await read(run.id);
      assert.deepEqual(stored, created);
      const [event] = await events(run.id);
      assert.equal(event?.id, run.state.id);
      assert.equal(event?.event, 'prefect.flow-run.Pending');
      const related = JSON.parse(event?.related ?? '[]').map(
        (one: Record<string, string>) => one['prefect.resource.id'],
      );
      assert.deepEqual(related, [`prefect.flow.${flowId}`, 'prefect.tag.from-flow', 'prefect.tag.own']);
    });

    test('parameters keep the type, size and order in which they were given', async () => {
      const parameters = '{"z":1.0,"a":1,"big":123456789012345678901234567890,"nested":{"10":0.1,"2":[1e+16,-0.0]}}';
      const { body } = await server.post('/flow_runs/', `{"flow_id":"${flowId}","parameters":${parameters}}`);
      const { text } = await server.get(`/flow_runs/${body.id}`);
      assert.ok(text.includes(`"parameters":${parameters}`), text);
    });

    test('an idempotency key creates one run, and a repeated request changes nothing', async () => {
      const first = await server.post('/flow_runs/', {
        flow_id: flowId,
        idempotency_key: 'once',
        parameters: { x: 1 },
      });
      const second = await server.post('/flow_runs/', {
        flow_id: flowId,
        idempotency_key: 'once',
        parameters: { x: 2 },
      });
      assert.equal(first.status, 201);
      assert.equal(second.status, 200);
      assert.equal(second.body.id, first.body.id);
      assert.deepEqual(second.body.parameters, { x: 1 });
      assert.equal((await events(first.body.id)).length, 1);
    });

    test('a hundred creates with one key, many at a time, create one run', async () => {
      const body = { flow_id: flowId, idempotency_key: 'race' };
      // Twenty at a time: a request waits five seconds for a connection, which is too short for a hundred on a busy machine.
      const answers: Answer[] = [];
      while (answers.length < 100) {
        answers.push(...(await Promise.all(Array.from({ length: 20 }, () => server.post('/flow_runs/', body)))));
      }
      assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
      assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    });

    test('a missing flow or parent is an integrity conflict, and nothing is written', async () => {
      const absent = '11111111-1111-4111-8111-111111111111';
      const before = (await server.post('/flow_runs/count', {})).body;
      for (const body of [{ flow_id: absent }, { flow_id: flowId, parent_task_run_id: absent }]) {
        const answer = await server.post('/flow_runs/', body);
        assert.equal(answer.status, 409);
        assert.match(answer.body.detail, /^Data integrity conflict\./);
      }
      assert.equal((await server.post('/flow_runs/count', {})).body, before);
    });

    test('a run moves through its states, with times and counts derived', async () => {
      const run = await create();
      for (const type of ['PENDING', 'RUNNING', 'COMPLETED']) {
        const name = type === 'PENDING' ? 'Submitting' : null;
        const answer = await server.post(`/flow_runs/${run.id}/set_state`, { state: { type, name } });
        assert.equal(answer.status, 201);
        assert.equal(answer.body.status, 'ACCEPT');
        assert.deepEqual(answer.body.details, { type: 'accept_details' });
      }
      const ended = await read(run.id);
      assert.equal(ended.state_type, 'COMPLETED');
      assert.equal(ended.run_count, 1);
      assert.equal(ended.end_time, ended.state.timestamp);
      const seconds = (Date.parse(ended.end_time) - Date.parse(ended.start_time)) / 1000;
      assert.ok(Math.abs(ended.total_run_time - seconds) < 0.002);
      const told = await events(run.id);
      assert.deepEqual(
        told.map((event) => event.event),
        ['Pending', 'Submitting', 'Running', 'Completed'].map((name) => `prefect.flow-run.${name}`),
      );
      assert.deepEqual(
        told.map((event) => event.follows),
        [null, ...told.slice(0, 3).map((event) => event.id)],
      );
    });

    test('a refused transition writes nothing and returns the current state', async () => {
      const run = await create({ state: { type: 'RUNNING' } });
      const answer = await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'PENDING' } });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.status, 'ABORT');
      assert.equal(answer.body.state.id, run.state.id);
      assert.equal((await events(run.id)).length, 1);
    });

    test('a failed run with retries left waits and runs again, and fails when they are used up', async () => {
      const run = await create({ empirical_policy: { retries: 1, retry_delay: 0 } });
      const set = async (type: string) =>
        (await server.post(`/flow_runs/${run.id}/set_state`, { state: { type } })).body;
      await set('RUNNING');
      const retry = await set('FAILED');
      assert.equal(retry.status, 'REJECT');
      assert.deepEqual(retry.details, { type: 'reject_details', reason: 'Retrying' });
      assert.equal(retry.state.name, 'AwaitingRetry');
      assert.equal((await set('RUNNING')).status, 'ACCEPT');
      assert.equal((await set('FAILED')).status, 'ACCEPT');
      const ended = await read(run.id);
      assert.equal(ended.run_count, 2);
      assert.equal(ended.state_type, 'FAILED');
      assert.deepEqual(
        (await events(run.id)).map((event) => JSON.parse(event.payload).intended.to),
        ['PENDING', 'RUNNING', 'SCHEDULED', 'RUNNING', 'FAILED'],
      );
    });

    test('a run must wait for its scheduled time', async () => {
      const scheduled_time = new Date(Date.now() + 90_000).toISOString();
      const run = await create({ state: { type: 'SCHEDULED', state_details: { scheduled_time } } });
      assert.equal(Date.parse(run.next_scheduled_start_time), Date.parse(scheduled_time));
      const answer = await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.status, 'WAIT');
      assert.equal(answer.body.details.delay_seconds, 90);
    });

    test('one of two workers that take the same run gets it', async () => {
      const run = await create({ state: { type: 'SCHEDULED' } });
      const proposals = Array.from({ length: 10 }, () =>
        server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'PENDING' } }),
      );
      const statuses = (await Promise.all(proposals)).map((answer) => answer.body.status);
      assert.deepEqual(statuses.toSorted(), ['ACCEPT', ...Array<string>(9).fill('ABORT')].toSorted());
    });

    test('a pause applies once, and continuing after it does not count as a new attempt', async () => {
      const { body: flow } = await server.post('/flows/', { name: 'suspended' });
      const { body: deployment } = await server.post('/deployments/', { name: 'suspended', flow_id: flow.id });
      const run = await create({ state: { type: 'RUNNING' }, flow_id: flow.id, deployment_id: deployment.id });
      const pause = { state: { type: 'PAUSED', state_details: { pause_key: 'k', pause_reschedule: true } } };
      assert.equal((await server.post(`/flow_runs/${run.id}/set_state`, pause)).body.status, 'ACCEPT');
      await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'SCHEDULED', name: 'Resuming' } });
      await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } });
      const resumed = await read(run.id);
      assert.equal(resumed.run_count, 1);
      assert.equal(resumed.empirical_policy.resuming, false);
      assert.deepEqual(resumed.empirical_policy.pause_keys, ['k']);
      const again = await server.post(`/flow_runs/${run.id}/set_state`, pause);
      assert.equal(again.body.details.reason, 'This pause has already fired.');
    });

    test('a persisted result is an artifact of the run, and a forced state cannot overwrite it', async () => {
      const run = await create({ state: { type: 'RUNNING' } });
      const data = { type: 'result', artifact_key: `key-${database}`, value: 1 };
      await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED', data } });
      assert.deepEqual((await read(run.id)).state.data, { type: 'result', value: 1 });
      for (const [state, force] of [
        [{ type: 'RUNNING' }, false],
        [{ type: 'COMPLETED' }, true],
      ] as const) {
        const answer = await server.post(`/flow_runs/${run.id}/set_state`, { state, force });
        assert.equal(answer.body.status, 'REJECT');
      }
      assert.equal((await read(run.id)).state.id, (await read(run.id)).state_id);
    });

    test('updates change the given fields only', async () => {
      const run = await create({ flow_version: 'v1', tags: ['a'] });
      assert.equal((await server.patch(`/flow_runs/${run.id}`, { tags: ['b'] })).status, 204);
      assert.equal((await server.patch(`/flow_runs/${run.id}/labels`, { extra: 1.5 })).status, 204);
      const changed = await read(run.id);
      assert.equal(changed.flow_version, 'v1');
      assert.equal(changed.name, run.name);
      assert.deepEqual(changed.tags, ['b']);
      assert.equal(changed.labels.extra, 1.5);
      const byTag = (tag: string) =>
        server.post('/flow_runs/count', { flow_runs: { id: { any_: [run.id] }, tags: { all_: [tag] } } });
      assert.equal((await byTag('b')).body, 1);
      assert.equal((await byTag('a')).body, 0);
      const late = await server.patch(`/flow_runs/${run.id}`, { job_variables: { a: 1 } });
      assert.equal(late.status, 400);
      assert.equal(late.body.detail, 'Job variables for a flow run in state PENDING cannot be updated');
    });

    test('filters, sort orders and pages are consistent', async () => {
      const mine: string[] = [];
      for (let index = 0; index < 5; index++) mine.push((await create({ tags: [`page-${database}`] })).id);
      const flow_runs = { tags: { all_: [`page-${database}`] } };
      const listed = await server.post('/flow_runs/filter', { flow_runs, sort: 'ID_DESC' });
      assert.deepEqual(
        listed.body.map((run: { id: string }) => run.id),
        mine.toReversed(),
      );
      const page = await server.post('/flow_runs/paginate', { flow_runs, sort: 'ID_DESC', limit: 2, page: 3 });
      assert.equal(page.body.pages, 3);
      assert.equal(page.body.results[0].id, mine[0]);
      const related = { flow_runs, flows: { name: { any_: ['runs'] } }, task_runs: { id: { any_: [] } } };
      assert.equal((await server.post('/flow_runs/count', related)).body, 0);
    });

    test('counts by state match the runs after every change', async () => {
      const doomed = (await server.post('/flows/', { name: 'doomed' })).body.id;
      for (let index = 0; index < 3; index++) await create({ flow_id: doomed, state: { type: 'CRASHED' } });
      const run = await create();
      await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'CANCELLED' } });
      await server.delete(`/flow_runs/${run.id}`);
      await server.delete(`/flows/${doomed}`);
      const all = (await server.post('/flow_runs/filter', {})).body;
      for (const types of [['PENDING'], ['CRASHED', 'CANCELLED', 'RUNNING'], []]) {
        const expected = all.filter((one: { state_type: string }) => types.includes(one.state_type)).length;
        const counted = await server.post('/flow_runs/count', { flow_runs: { state: { type: { any_: types } } } });
        assert.equal(counted.body, expected, types.join());
      }
      assert.equal((await server.post('/flow_runs/count', {})).body, all.length);
    });

    test('deleting a run deletes its history', async () => {
      const run = await create();
      assert.equal((await server.delete(`/flow_runs/${run.id}`)).status, 204);
      assert.equal((await server.post('/flow_runs/count', { flow_runs: { id: { any_: [run.id] } } })).body, 0);
    });

    test('bulk changes return one result for each run', async () => {
      const run = await create({ tags: [`bulk-${database}`] });
      const flow_runs = { tags: { all_: [`bulk-${database}`] } };
      const set = await server.post('/flow_runs/bulk_set_state', { flow_runs, state: { type: 'CANCELLED' } });
      assert.deepEqual(
        set.body.results.map((one: { flow_run_id: string; status: string }) => [one.flow_run_id, one.status]),
        [[run.id, 'ACCEPT']],
      );
      assert.deepEqual((await server.post('/flow_runs/bulk_delete', { flow_runs })).body, { deleted: [run.id] });
    });

    test('another workspace does not see the run: its ids are unknown there', async () => {
      const run = await create();
      const elsewhere = server.server.store.reads(99);
      const { findFlowRun } = await import('../rows/flow-runs.ts');
      const { countFlowRuns } = await import('./list-queries.ts');
      assert.equal(await findFlowRun(elsewhere, run.id), undefined);
      assert.equal(await countFlowRuns(elsewhere, {}), 0);
    });
  });
}
