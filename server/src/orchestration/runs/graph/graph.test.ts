import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

interface Node {
  readonly kind: string;
  readonly label: string;
  readonly state_type: string;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly parents: { readonly id: string }[];
  readonly children: { readonly id: string }[];
  readonly encapsulating: { readonly id: string }[];
  readonly artifacts: { readonly key: string | null; readonly data: unknown; readonly is_latest: boolean }[];
}

const unknownId = '00000000-0000-4000-8000-000000000000';

for (const database of databases) {
  describe(`the graph of a flow run on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'drawn' })).body.id;
    });
    after(() => server.stop());

    const newRun = async (fields: object = {}) =>
      (await server.post('/flow_runs/', { flow_id: flowId, ...fields })).body;
    const newTask = async (flow_run_id: string, name: string, task_inputs: object = {}, state?: object) =>
      (await server.post('/task_runs/', { flow_run_id, task_key: name, dynamic_key: '0', name, task_inputs, state }))
        .body;
    const from = (id: string, input_type = 'task_run') => ({ input_type, id });
    const draw = async (id: string, query = '') => (await server.get(`/flow_runs/${id}/graph-v2${query}`)).body;
    const nodesOf = (graph: { nodes: [string, Node][] }) => new Map(graph.nodes);
    const ids = (edges: readonly { id: string }[] | undefined) => edges?.map(({ id }) => id);

    test('inputs become edges between task runs of the run, each once', async () => {
      const run = await newRun();
      const other = await newTask((await newRun()).id, 'elsewhere');
      const a = await newTask(run.id, 'a');
      const b = await newTask(run.id, 'b', { x: [from(a.id), from(a.id)], y: [from(a.id), from(other.id)] });
      const c = await newTask(run.id, 'c', {
        x: [from(b.id), { input_type: 'parameter', name: 'p' }],
        y: [from(unknownId)],
      });
      const graph = await draw(run.id);
      const nodes = nodesOf(graph);
      assert.deepEqual(
        graph.nodes.map(([id]: [string]) => id),
        [a.id, b.id, c.id],
      );
      assert.deepEqual(graph.root_node_ids, [a.id]);
      assert.deepEqual(ids(nodes.get(a.id)?.children), [b.id]);
      assert.deepEqual(ids(nodes.get(b.id)?.parents), [a.id]);
      assert.deepEqual(ids(nodes.get(c.id)?.parents), [b.id]);
    });

    test('the input __parents__ shows the task that ran another', async () => {
      const run = await newRun();
      const outer = await newTask(run.id, 'outer');
      const inner = await newTask(run.id, 'inner', { __parents__: [from(outer.id)] });
      const nodes = nodesOf(await draw(run.id));
      assert.deepEqual(ids(nodes.get(inner.id)?.encapsulating), [outer.id]);
      assert.deepEqual(nodes.get(inner.id)?.parents, []);
      assert.deepEqual(nodes.get(outer.id)?.children, []);
    });

    test('a task run that stands for a subflow run is shown as that run', async () => {
      const run = await newRun();
      const stand = await newTask(run.id, 'stands for it');
      const child = await newRun({ name: 'inside', parent_task_run_id: stand.id });
      await server.post(`/flow_runs/${child.id}/set_state`, { state: { type: 'RUNNING' } });
      const after = await newTask(run.id, 'after', { x: [from(child.id, 'flow_run')] });
      const graph = await draw(run.id);
      const node = nodesOf(graph).get(child.id);
      assert.equal(node?.kind, 'flow-run');
      assert.equal(node?.label, 'drawn / inside');
      assert.equal(node?.state_type, 'RUNNING');
      assert.equal(node?.start_time, (await server.get(`/flow_runs/${child.id}`)).body.start_time);
      assert.deepEqual(ids(node?.children), [after.id]);
      assert.equal(nodesOf(graph).has(stand.id), false);
    });

    test('nodes that ended before a given time are omitted, and edges still name them', async () => {
      const run = await newRun();
      const ended = await newTask(run.id, 'ended', {}, { type: 'COMPLETED' });
      const open = await newTask(run.id, 'open', { x: [from(ended.id)] });
      const at = ended.end_time;
      assert.equal((await draw(run.id, `?since=${at}`)).nodes.length, 2);
      const later = await draw(run.id, '?since=2100-01-01T00:00:00Z');
      assert.deepEqual(
        later.nodes.map(([id]: [string]) => id),
        [open.id],
      );
      assert.deepEqual(ids(nodesOf(later).get(open.id)?.parents), [ended.id]);
      assert.deepEqual(later.root_node_ids, []);
    });

    test('runs that have not started are placed at their expected start', async () => {
      const run = await newRun();
      const due = await newTask(
        run.id,
        'due',
        {},
        { type: 'SCHEDULED', state_details: { scheduled_time: '2020-01-01T00:00:00Z' } },
      );
      const now = await newTask(run.id, 'now');
      const graph = await draw(run.id);
      assert.deepEqual(
        graph.nodes.map(([id]: [string]) => id),
        [due.id, now.id],
      );
      assert.equal(nodesOf(graph).get(due.id)?.start_time, '2020-01-01T00:00:00Z');
    });

    test('artifacts belong to the run and its tasks; only progress shows its data, results are omitted', async () => {
      const run = await newRun();
      const task = await newTask(run.id, 'makes things');
      const make = (fields: object) => server.post('/artifacts/', { flow_run_id: run.id, ...fields });
      await make({ task_run_id: task.id, key: 'report', type: 'markdown', data: '# old' });
      await make({ task_run_id: task.id, key: 'report', type: 'markdown', data: '# new' });
      await make({ task_run_id: task.id, type: 'progress', data: 40.5 });
      await make({ task_run_id: task.id, type: 'result', data: { a: 1 } });
      await make({ key: 'of-the-run', type: 'link', data: 'x' });
      const graph = await draw(run.id);
      assert.deepEqual(
        nodesOf(graph)
          .get(task.id)
          ?.artifacts.map(({ key, data, is_latest }) => [key, data, is_latest]),
        [
          ['report', null, false],
          ['report', null, true],
          [null, 40.5, true],
        ],
      );
      assert.deepEqual(
        graph.artifacts.map((artifact: { key: string }) => artifact.key),
        ['of-the-run'],
      );
    });

    test('the graph includes the states of the run', async () => {
      const run = await newRun();
      await server.post(`/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } });
      const graph = await draw(run.id);
      assert.deepEqual(
        graph.states.map((state: { name: string }) => state.name),
        ['Pending', 'Running'],
      );
      assert.equal(graph.start_time, graph.states[1].timestamp);
    });

    test('the older graph lists task runs with the task runs they waited for', async () => {
      const run = await newRun();
      const a = await newTask(run.id, 'a');
      const b = await newTask(run.id, 'b', {
        x: [from(a.id), from(a.id), { input_type: 'constant', type: 'int' }, from(run.id, 'flow_run')],
      });
      const { body } = await server.get(`/flow_runs/${run.id}/graph`);
      const second = body.find((item: { id: string }) => item.id === b.id);
      assert.deepEqual(second.upstream_dependencies, [{ input_type: 'task_run', id: a.id }]);
      assert.equal(second.untrackable_result, false);
      assert.equal(second.state.type, 'PENDING');
    });
  });
}
