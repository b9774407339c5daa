import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { connect, type SocketClient } from '../../../../test/support/socket-client.ts';
import { until } from '../../../../test/support/until.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, systemClock } from '../../../values/time.ts';
import { claimTaskRun } from './queue.ts';

const path = '/task_runs/subscriptions/scheduled';
const ack = { type: 'ack' };

for (const database of databases) {
  describe(`task workers on ${database}`, () => {
    let server: TestServer;
    let url: string;
    before(async () => {
      server = await startServer({ database });
      url = await server.listen();
    });
    after(() => server.stop());

    const subscribe = async (keys: string[], client_id = 'host-1'): Promise<SocketClient> => {
      const client = await connect(`${url}${path}`);
      client.send({ type: 'subscribe', keys, client_id });
      await client.ping();
      return client;
    };
    const scheduled = (details: object = {}) => ({ type: 'SCHEDULED', state_details: { deferred: true, ...details } });
    const submit = async (task_key: string, name: string, state: object = scheduled()) => {
      const answer = await server.post('/task_runs/', { task_key, dynamic_key: newId(), name, state });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    /** The next run's name, confirmed. */
    const take = async (client: SocketClient): Promise<string> => {
      const { name } = await client.next();
      client.send(ack);
      return name;
    };
    /** No frame has come, although everything sent before has taken effect. */
    const quiet = async (client: SocketClient) => {
      await client.ping();
      assert.deepEqual(client.unread, []);
    };
    const leave = async (client: SocketClient) => {
      const ended = client.ended();
      client.send({ type: 'quit' });
      assert.equal(await ended, '1000 ');
    };

    test('a run goes to the worker that waits for it, in the form of a read', async () => {
      const worker = await subscribe(['whole']);
      const submitted = await submit('whole', 'one', scheduled({ task_parameters_id: newId() }));
      const run = await worker.next();
      const { estimated_start_time_delta: _, ...known } = submitted;
      const { estimated_start_time_delta: delta, ...sent } = run;
      assert.deepEqual(sent, known);
      assert.equal(typeof delta, 'number');
      assert.equal(run.state.state_details.deferred, true);
      await leave(worker);
    });

    test('waiting runs are delivered one at a time, each after the confirmation of the last, in turn over the keys', async () => {
      for (const name of ['a1', 'a2', 'a3']) await submit('turn-a', name);
      await submit('turn-b', 'b1');
      const worker = await subscribe(['turn-a', 'turn-b']);
      const first = await worker.next();
      await quiet(worker);
      worker.send(ack);
      assert.deepEqual(
        [first.name, await take(worker), await take(worker), await take(worker)],
        ['a1', 'b1', 'a2', 'a3'],
      );
      await quiet(worker);
      await leave(worker);
    });

    test('each run is delivered once, however many workers wait', async () => {
      const workers = await Promise.all(['host-1', 'host-2', 'host-3'].map((host) => subscribe(['shared'], host)));
      const names = Array.from({ length: 30 }, (_, index) => `shared ${index}`);
      const received: string[] = [];
      const taking = workers.map(async (worker) => {
        for (let name = await take(worker); name !== 'end'; name = await take(worker)) received.push(name);
        await leave(worker);
      });
      await Promise.all(names.map((name) => submit('shared', name)));
      for (const _ of workers) await submit('shared', 'end');
      await Promise.all(taking);
      assert.deepEqual(received.sort(), names.sort());
    });

    test('an unconfirmed run goes to another worker, before new runs', async () => {
      const dying = await subscribe(['died']);
      await submit('died', 'first');
      await submit('died', 'second');
      assert.equal((await dying.next()).name, 'first');
      const next = await subscribe(['died'], 'host-2');
      assert.equal(await take(next), 'second');
      await submit('died', 'third');
      assert.equal(await take(next), 'third');
      dying.close();
      assert.equal(await take(next), 'first');
      await leave(next);
    });

    test('a run that a crashed server had delivered is delivered again', async () => {
      const { id } = await submit('crash', 'lost');
      const before = server.context(addSeconds(systemClock.now(), -31));
      assert.equal((await claimTaskRun(before, ['crash'], newId()))?.id, id);
      const worker = await subscribe(['crash']);
      assert.equal(await take(worker), 'lost');
      await leave(worker);
    });

    test('a rescheduled run is delivered again; a retry comes first', async () => {
      const run = await submit('again', 'again');
      const worker = await subscribe(['again']);
      assert.equal(await take(worker), 'again');
      await leave(worker);
      await submit('again', 'other');
      const retry = { ...scheduled(), name: 'AwaitingRetry' };
      await server.post(`/task_runs/${run.id}/set_state`, { state: retry });
      await server.post(`/task_runs/${run.id}/set_state`, { state: retry });
      const next = await subscribe(['again']);
      assert.deepEqual([await take(next), await take(next)], ['again', 'other']);
      await quiet(next);
      await leave(next);
    });

    test('a run that is deleted, ended or not for task workers is not delivered', async () => {
      const gone = await submit('gone', 'gone');
      await server.delete(`/task_runs/${gone.id}`);
      const cancelled = await submit('gone', 'cancelled');
      await server.post(`/task_runs/${cancelled.id}/set_state`, { state: { type: 'CANCELLED' } });
      await submit('gone', 'plain', { type: 'SCHEDULED' });
      await submit('gone', 'pending', { type: 'PENDING', state_details: { deferred: true } });
      const worker = await subscribe(['gone']);
      await submit('gone', 'last');
      assert.equal(await take(worker), 'last');
      await quiet(worker);
      await leave(worker);
    });

    test('connected workers are listed by what they run', async () => {
      const one = await subscribe(['listed', 'both'], 'listed-1');
      const more = await subscribe(['more'], 'listed-1');
      const other = await subscribe(['both'], 'listed-2');
      const list = async (...task_keys: string[]) =>
        (await server.post('/task_workers/filter', { task_worker_filter: { task_keys } })).body.map(
          ({ identifier, task_keys: keys }: { identifier: string; task_keys: string[] }) => [
            identifier,
            ...keys.sort(),
          ],
        );
      assert.deepEqual(await list('both'), [
        ['listed-1', 'both', 'listed', 'more'],
        ['listed-2', 'both'],
      ]);
      assert.deepEqual(await list('more'), [['listed-1', 'both', 'listed', 'more']]);
      assert.deepEqual(await list('none'), []);
      await Promise.all([leave(one), leave(more)]);
      const identifiers = (answer: { body: { identifier: string }[] }) =>
        answer.body.map((worker) => worker.identifier);
      const everyone = async () => identifiers(await server.post('/task_workers/filter'));
      await until('the worker that left is gone', async () => (await everyone()).length === 1);
      assert.deepEqual(await everyone(), ['listed-2']);
      assert.deepEqual(identifiers(await server.get('/task_workers/')), ['listed-2']);
      await leave(other);
    });

    test('a first frame without a subscription closes the socket with the expected form', async () => {
      const endOf = async (frame: unknown) => {
        const client = await connect(`${url}${path}`);
        const ended = client.ended();
        client.send(frame);
        return ended;
      };
      const message = "4001 Protocol violation: expected 'subscribe' message";
      assert.equal(await endOf('no json'), message);
      assert.equal(await endOf({ type: 'ack' }), message);
      const keys = "4001 Protocol violation: expected 'keys' in subscribe message";
      assert.equal(await endOf({ type: 'subscribe', client_id: 'x' }), keys);
      assert.equal(await endOf({ type: 'subscribe', keys: [], client_id: 'x' }), keys);
      assert.equal(await endOf({ type: 'subscribe', keys: [1], client_id: 'x' }), keys);
      const client = "4001 Protocol violation: expected 'client_id' in subscribe message";
      assert.equal(await endOf({ type: 'subscribe', keys: ['k'] }), client);
      assert.equal(await endOf({ type: 'subscribe', keys: ['k'], client_id: '' }), client);
    });
  });
}
