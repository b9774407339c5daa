import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { connect, type SocketClient } from '../../../test/support/socket-client.ts';
import { newId } from '../../values/id.ts';

for (const database of databases) {
  describe(`the stream of logs on ${database}`, () => {
    let server: TestServer;
    let url: string;
    before(async () => {
      server = await startServer({ database });
      url = await server.listen();
    });
    after(() => server.stop());

    const subscribe = async (filter: object): Promise<SocketClient> => {
      const client = await connect(`${url}/logs/out`);
      client.send({ type: 'filter', filter });
      await client.ping();
      return client;
    };
    const log = (message: string, more: object = {}) => ({
      name: 'prefect.flow_runs',
      level: 20,
      message,
      timestamp: '2026-11-20T10:00:00Z',
      ...more,
    });
    const post = async (...logs: object[]) => assert.equal((await server.post('/logs/', logs)).status, 201);
    const messages = async (client: SocketClient, count: number) => {
      const received: string[] = [];
      while (received.length < count) received.push((await client.next()).log.message);
      await client.ping();
      assert.deepEqual(client.unread, []);
      client.close();
      return received;
    };

    test('a log arrives in the form of the list', async () => {
      const client = await subscribe({});
      await post(log('hello', { flow_run_id: null }));
      const frame = await client.next();
      assert.equal(frame.type, 'log');
      const { body } = await server.post('/logs/filter', { logs: { text: { query: 'hello' } } });
      assert.deepEqual(frame.log, body[0]);
      client.close();
    });

    test('logs are filtered by level, time, run and words', async () => {
      const flowRunId = newId();
      const byLevel = await subscribe({ level: { ge_: 30, le_: 40 } });
      const byTime = await subscribe({ timestamp: { after_: '2026-11-20T11:00:00Z' } });
      const byRun = await subscribe({ flow_run_id: { any_: [flowRunId] } });
      const byTask = await subscribe({ task_run_id: { is_null_: false } });
      const byWords = await subscribe({ text: { query: 'boom -quiet' } });
      const byEither = await subscribe({ operator: 'or_', level: { ge_: 50 }, flow_run_id: { any_: [flowRunId] } });
      await post(
        log('plain'),
        log('warning', { level: 30 }),
        log('later', { timestamp: '2026-11-20T12:00:00Z' }),
        log('of the run', { flow_run_id: flowRunId }),
        log('of a task', { task_run_id: newId() }),
        log('Boom'),
        log('quiet boom', { level: 50 }),
      );
      assert.deepEqual(await messages(byLevel, 1), ['warning']);
      assert.deepEqual(await messages(byTime, 1), ['later']);
      assert.deepEqual(await messages(byRun, 1), ['of the run']);
      assert.deepEqual(await messages(byTask, 1), ['of a task']);
      assert.deepEqual(await messages(byWords, 1), ['Boom']);
      assert.deepEqual(await messages(byEither, 2), ['of the run', 'quiet boom']);
    });

    test('an invalid filter closes the socket with a reason', async () => {
      const client = await connect(`${url}/logs/out`);
      client.send({ type: 'filter', filter: { level: { ge_: 'high' } } });
      assert.match(await client.ended(), /^1002 Invalid filter: level\.ge_ Input should be a valid integer/);
    });
  });
}
