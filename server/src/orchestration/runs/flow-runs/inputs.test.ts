import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

for (const database of databases) {
  describe(`inputs of flow runs on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'inputs' })).body.id;
    });
    after(() => server.stop());

    const newRun = async () => (await server.post('/flow_runs/', { flow_id: flowId })).body.id as string;
    const send = (id: string, key: string, value = 'v') => server.post(`/flow_runs/${id}/input`, { key, value });

    test('an input is stored and returned as text', async () => {
      const id = await newRun();
      const sent = await send(id, 'key-a', '{"a": 1.0, "ü": "☂"}');
      assert.equal(sent.status, 201);
      assert.equal(sent.text, 'null');
      const read = await server.get(`/flow_runs/${id}/input/key-a`);
      assert.equal(read.text, '{"a": 1.0, "ü": "☂"}');
      assert.equal(read.headers['content-type'], 'text/plain; charset=utf-8');
    });

    test('a key has a form, and two runs may use the same', async () => {
      await send(await newRun(), 'key-a', 'first');
      assert.equal((await send(await newRun(), 'key-a')).status, 201);
      assert.equal((await send(await newRun(), 'Bad Key')).status, 422);
    });

    test('inputs are filtered by key prefix, oldest first, with a default limit of one', async () => {
      const id = await newRun();
      for (const key of ['message-2', 'message-1', 'other', 'message-3']) await send(id, key);
      const find = async (body: object) =>
        (await server.post(`/flow_runs/${id}/input/filter`, body)).body.map((input: { key: string }) => input.key);
      assert.deepEqual(await find({ prefix: 'message' }), ['message-2']);
      assert.deepEqual(await find({ prefix: 'message', limit: 10 }), ['message-2', 'message-1', 'message-3']);
      assert.deepEqual(await find({ prefix: 'message', limit: 10, exclude_keys: ['message-1'] }), [
        'message-2',
        'message-3',
      ]);
      assert.deepEqual(await find({ prefix: '', limit: 1000 }), ['message-2', 'message-1', 'other', 'message-3']);
      assert.deepEqual(await find({ prefix: '', limit: -1 }), ['message-2', 'message-1', 'other', 'message-3']);
      assert.deepEqual(await find({ prefix: 'message', limit: 0 }), []);
      assert.deepEqual((await server.post(`/flow_runs/${unknownId}/input/filter`, { prefix: '' })).body, []);
    });

    test('the logs of a run are downloaded as a file', async () => {
      const id = await newRun();
      await server.post('/logs/', [
        { name: 'n', level: 20, message: 'a,"b"\nc', timestamp: '2026-01-01T00:00:00Z', flow_run_id: id },
      ]);
      const answer = await server.get(`/flow_runs/${id}/logs/download`);
      assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
      assert.match(String(answer.headers['content-disposition']), /^attachment; filename="flow-run-logs\.csv"/);
      assert.equal(
        answer.text,
        `timestamp,level,flow_run_id,task_run_id,message\r\n2026-01-01 00:00:00+00:00,20,${id},,"a,""b""\nc"\r\n`,
      );
    });
  });
}
