import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { compileEncoder } from '../../../schema/encode.ts';
import { Type } from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import { findFlowRun, flowRuns } from '../rows/flow-runs.ts';
import { findFlowRunAnswer, flowRunResponse, listFlowRunAnswers } from './response.ts';
import { FlowRunResponse } from './schema.ts';

const CONTROLS = Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('');
/** Each character that JSON escapes, and some that it does not. */
const ODD = `"quoted" 'single' \\ / ${CONTROLS}\u007f\u0085\u2028 é € 🚦`;

for (const database of databases) {
  describe(`answers with flow runs on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'answers' })).body.id;
    });
    after(() => server.stop());

    const created = async (path: string, body: object | string) => {
      const answer = await server.post(path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    /** The bytes of an answer are those of the encoder, for the run alone and in a list. */
    const assertEncoded = async (id: string) => {
      const context = server.context();
      const run = await findFlowRun(context.db, id);
      assert.ok(run);
      const text = compileEncoder(FlowRunResponse)(flowRunResponse(run, context.now));
      assert.equal((await server.get(`/flow_runs/${id}`)).text, text);
      assert.equal((await server.post('/flow_runs/filter', { flow_runs: { id: { any_: [id] } } })).text, `[${text}]`);
      return text;
    };
    /** An ended run, whose estimates no longer grow. */
    const ended = async (id: string, state: object = {}) => {
      await created(`/flow_runs/${id}/set_state`, { force: true, state: { type: 'COMPLETED', ...state } });
      return id;
    };

    test('a run has all its text and JSON as it was given', async () => {
      await created('/work_pools/', { name: 'answers', type: 'process' });
      const queue = await created('/work_pools/answers/queues', { name: 'odd' });
      const parameters = '{"b": 1.0, "a": 12345678901234567890, "2": 1, "1": {"x": null}}';
      const { id } = await created('/flow_runs/', `{"flow_id": "${flow_id}", "parameters": ${parameters}}`);
      await server.server.store.transaction(server.server.defaultWorkspace, (tx) =>
        flowRuns.change(
          tx,
          { id },
          {
            name: ODD,
            deployment_version: ODD,
            flow_version: ODD,
            idempotency_key: ODD,
            infrastructure_pid: ODD,
            work_queue_id: queue.id,
            work_queue_name: 'another name',
            total_run_time: 1e-7,
            auto_scheduled: true,
          },
        ),
      );
      await ended(id, { name: ODD.slice(0, 20), message: ODD, data: { type: 'unpersisted', text: ODD } });
      const text = await assertEncoded(id);
      assert.ok(text.includes('"parameters":{"b":1.0,"a":12345678901234567890,"2":1,"1":{"x":null}}'), text);
      const run = JSON.parse(text);
      assert.equal(run.name, ODD);
      assert.equal(run.state.message, ODD);
      assert.deepEqual([run.work_queue_name, run.work_pool_name], ['odd', 'answers']);
    });

    test('times without a fraction have none, and other values are null', async () => {
      const { id } = await created('/flow_runs/', { flow_id });
      await ended(id);
      await server.server.store.transaction(server.server.defaultWorkspace, (tx) =>
        flowRuns.change(tx, { id }, {
          created: '2026-11-20T15:59:20.000000Z',
          updated: '2026-11-20T15:59:20.100000Z',
          start_time: null,
          auto_scheduled: false,
        } as never),
      );
      const text = await assertEncoded(id);
      assert.ok(text.includes('"created":"2026-11-20T15:59:20Z","updated":"2026-11-20T15:59:20.100000Z"'), text);
      assert.ok(text.includes('"start_time":null'), text);
      assert.ok(text.includes('"auto_scheduled":false,"infrastructure_document_id":null'), text);
    });

    test('a run without a state has none', async () => {
      const { id } = await created('/flow_runs/', { flow_id });
      await ended(id);
      await server.server.store.transaction(server.server.defaultWorkspace, (tx) =>
        flowRuns.change(tx, { id }, { state_id: null } as never),
      );
      const text = await assertEncoded(id);
      assert.ok(text.includes('"state":null,"job_variables":{}}'), text);
    });

    test('estimates of a late and of a running run are as of the request, in whole microseconds', async () => {
      const scheduled_time = '2020-01-01T00:00:00.300001Z';
      const state = { type: 'SCHEDULED', state_details: { scheduled_time } };
      const late = await created('/flow_runs/', { flow_id, state });
      const running = await created('/flow_runs/', { flow_id, state });
      await created(`/flow_runs/${running.id}/set_state`, { force: true, state: { type: 'RUNNING' } });
      await server.server.store.transaction(server.server.defaultWorkspace, (tx) =>
        flowRuns.change(tx, { id: running.id }, { total_run_time: 0.1 }),
      );
      const encode = compileEncoder(FlowRunResponse);
      for (const now of ['2026-11-20T15:59:20.100000Z', '2099-01-01T00:00:00.200003Z'] as Timestamp[]) {
        const context = server.context(now);
        for (const { id } of [late, running]) {
          const run = await findFlowRun(context.db, id);
          assert.ok(run);
          const text = encode(flowRunResponse(run, now));
          assert.equal(encode(await findFlowRunAnswer(context, id)), text);
          const page = { sort: 'ID_DESC', limit: 1, offset: 0 } as const;
          const list = await listFlowRunAnswers(context, { flow_runs: { id: { any_: [id] } } }, page);
          assert.equal(compileEncoder(Type.Array(FlowRunResponse))(list), `[${text}]`);
        }
      }
    });
  });
}
