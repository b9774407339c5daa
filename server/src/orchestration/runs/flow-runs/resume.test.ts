import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

const schema = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] };

for (const database of databases) {
  describe(`resuming a paused flow run on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'pauses' })).body.id;
    });
    after(() => server.stop());

    const newRun = async () => (await server.post('/flow_runs/', { flow_id: flowId })).body.id as string;
    const pause = async (details: object = {}) => {
      const id = await newRun();
      const state_details = { pause_timeout: '2100-01-01T00:00:00Z', pause_key: '1', ...details };
      await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } });
      const paused = await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'PAUSED', state_details } });
      assert.equal(paused.body.status, 'ACCEPT', paused.text);
      return id;
    };
    /** A run that waits for an input. */
    const pauseForInput = async (text: unknown = schema) => {
      const id = await pause({ run_input_keyset: { schema: 'paused-1-schema', response: 'paused-1-response' } });
      const value = typeof text === 'string' ? text : JSON.stringify(text);
      await server.post(`/flow_runs/${id}/input`, { key: 'paused-1-schema', value });
      return id;
    };
    const resume = (id: string, run_input?: unknown) =>
      server.post(`/flow_runs/${id}/resume`, run_input === undefined ? undefined : { run_input });
    const reasonOf = async (id: string, run_input?: unknown) => {
      const { status, body } = await resume(id, run_input);
      assert.equal(status, 200);
      assert.equal(body.status, 'REJECT');
      assert.equal(body.details.type, 'abort_details');
      assert.equal(body.state.type, 'PAUSED');
      return body.details.reason;
    };

    test('a paused run runs again', async () => {
      const id = await pause();
      const answer = await resume(id);
      assert.equal(answer.status, 201);
      assert.equal(answer.body.status, 'ACCEPT');
      assert.equal(answer.body.state.type, 'RUNNING');
    });

    test('an accepted pause ends the inputs under its keys, which are of an earlier attempt', async () => {
      const keys = ['p-schema', 'p-response', 'p-description', 'p-other'];
      const keyset = { schema: 'p-schema', response: 'p-response', description: 'p-description' };
      const deployment = (await server.post('/deployments/', { name: 'pauses', flow_id: flowId })).body.id;
      const cases = [
        ['a pause', {}, ['p-other']],
        ['a suspension', { name: 'Suspended' }, ['p-other']],
        ['a pause in the second attempt', { attempts: 2 }, ['p-other']],
        ['a forced pause', { force: true }, keys],
        ['a pause without keys', { keyset: null }, keys],
        ['a refused pause', { pending: true }, keys],
      ] as const;
      for (const [title, given, kept] of cases) {
        const {
          name = 'Paused',
          attempts = 1,
          force = false,
          pending = false,
        } = given as {
          name?: string;
          attempts?: number;
          force?: boolean;
          pending?: boolean;
        };
        const { id } = (await server.post(`/deployments/${deployment}/create_flow_run`, {})).body;
        const put = (state: object, forced = false) =>
          server.post(`/flow_runs/${id}/set_state`, { state, force: forced });
        const state_details = {
          pause_key: 'k',
          pause_reschedule: name === 'Suspended',
          pause_timeout: '2100-01-01T00:00:00Z',
          run_input_keyset: 'keyset' in given ? given.keyset : keyset,
        };
        const paused = { type: 'PAUSED', name, state_details };
        for (let attempt = 1; attempt < attempts; attempt++) {
          for (const type of ['PENDING', 'RUNNING']) await put({ type });
          await put(paused);
          await put({ type: 'FAILED' });
        }
        for (const type of pending ? ['PENDING'] : ['PENDING', 'RUNNING']) await put({ type });
        for (const key of keys) {
          assert.equal((await server.post(`/flow_runs/${id}/input`, { key, value: '1' })).status, 201, title);
        }
        await put(paused, force);
        const found: string[] = [];
        for (const key of keys) if ((await server.get(`/flow_runs/${id}/input/${key}`)).status === 200) found.push(key);
        assert.deepEqual(found, kept, title);
      }
    });

    test('a run that is not paused is not resumed', async () => {
      const { status, body } = await resume(await newRun());
      assert.equal(status, 200);
      assert.deepEqual(body, {
        state: null,
        status: 'ABORT',
        details: { type: 'abort_details', reason: 'Cannot resume a flow run that is not paused.' },
      });
    });

    test('valid input is stored as the response, with placeholders filled in', async () => {
      const id = await pauseForInput();
      const answer = await resume(id, { x: { __prefect_kind: 'json', value: '5' }, more: 1 });
      assert.equal(answer.status, 201);
      assert.equal((await server.get(`/flow_runs/${id}/input/paused-1-response`)).text, '{"x":5,"more":1}');
    });

    test("invalid input is refused with the reference's message, and the run stays paused", async () => {
      const id = await pauseForInput();
      assert.equal(
        await reasonOf(id, { x: 'a' }),
        "Reason: Validation failed for field 'x'. Failure reason: 'a' is not of type 'integer'",
      );
      assert.equal(await reasonOf(id), "Reason: Validation failed. Failure reason: 'x' is a required property");
      assert.equal(
        await reasonOf(id, { x: { __prefect_kind: 'json', value: '{5' } }),
        'Error hydrating run input: Invalid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
      );
      assert.equal((await resume(id, { x: 1 })).status, 201);
    });

    test('a missing, circular or non-JSON schema refuses the input', async () => {
      const missing = await pause({ run_input_keyset: { schema: 'nowhere', response: 'r' } });
      assert.equal(await reasonOf(missing, {}), 'Run input schema not found.');
      assert.equal(await reasonOf(await pauseForInput('no json'), {}), 'Run input schema is not valid JSON.');
      assert.equal(
        await reasonOf(await pauseForInput({ $ref: '#' }), {}),
        'Invalid schema: Unable to validate schema with circular references.',
      );
    });

    test('an existing response is not overwritten, and the run stays paused', async () => {
      const id = await pauseForInput();
      await server.post(`/flow_runs/${id}/input`, { key: 'paused-1-response', value: 'first' });
      assert.equal((await resume(id, { x: 1 })).status, 409);
      assert.equal((await server.get(`/flow_runs/${id}`)).body.state_type, 'PAUSED');
      assert.equal((await server.get(`/flow_runs/${id}/input/paused-1-response`)).text, 'first');
    });

    test('one of many concurrent resumes succeeds', async () => {
      const id = await pause();
      const answers = await Promise.all(Array.from({ length: 5 }, () => resume(id)));
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    });
  });
}
