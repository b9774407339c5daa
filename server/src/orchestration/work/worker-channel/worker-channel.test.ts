import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { connect, type SocketClient } from '../../../../test/support/socket-client.ts';
import { newId } from '../../../values/id.ts';
import { addSeconds, systemClock } from '../../../values/time.ts';
import { requestTeardown, reserveCleanups } from './cleanups.ts';

const required = ['worker_heartbeat.v1', 'work_pool_snapshot.v1'];
const kind = 'cancelling_timeout_teardown.v1';
const cleaning = { requested_capabilities: [...required, 'cleanup_delivery.v1'], handled_cleanup_kinds: [kind] };
const consumer_id = newId();

function frame(type: string, payload: object) {
  return { type, id: newId(), sent_at: systemClock.now(), payload };
}

function hello(given: object = {}) {
  return frame('worker.hello.v1', {
    consumer_id,
    worker_name: 'w',
    worker_type: 'process',
    heartbeat_interval_seconds: 30,
    supported_channel_versions: ['work_pool_worker_channel.v1'],
    requested_capabilities: required,
    ...given,
  });
}

for (const database of databases) {
  describe(`the worker channel on ${database}`, () => {
    let server: TestServer;
    let url: string;
    before(async () => {
      server = await startServer({ database });
      url = await server.listen();
    });
    after(() => server.stop());

    const open = (pool: string) => connect(`${url}/work_pools/${pool}/workers/connect`);
    const makePool = async (name: string) => (await server.post('/work_pools/', { name, type: 'process' })).body;
    const greet = async (pool: string, given: object = {}) => {
      const client = await open(pool);
      client.send(hello(given));
      const { type, payload } = await client.next();
      assert.equal(type, 'worker.ready.v1');
      return { client, ready: payload };
    };
    const endOf = async (pool: string, ...frames: unknown[]) => {
      const client = await open(pool);
      const ended = client.ended();
      for (const one of frames) client.send(one);
      return ended;
    };

    test('a refused worker leaves no pool, template or event', async () => {
      const variables = { properties: { command: { type: 'string' } } };
      const default_base_job_template = { job_configuration: { command: '{{ command }}' }, variables };
      const wanted = { create_pool_if_not_found: true, default_base_job_template, work_queue_names: ['nowhere'] };
      assert.equal(await endOf('never-made', hello(wanted)), '1008 authorization_failed');
      assert.equal((await server.get('/work_pools/never-made')).status, 404);
      const before = await makePool('kept');
      assert.equal(await endOf('kept', hello(wanted)), '1008 authorization_failed');
      const after = (await server.get('/work_pools/kept')).body;
      assert.deepEqual([after.base_job_template, after.updated], [before.base_job_template, before.updated]);
      const { body } = await server.post('/events/filter', { filter: { event: { prefix: ['prefect.work-pool.'] } } });
      const told = body.events.map(
        ({ event, resource }: { event: string; resource: Record<string, string> }) =>
          `${event} ${resource['prefect.resource.name']}`,
      );
      assert.deepEqual(told.filter((line: string) => / (never-made|kept)$/.test(line)).sort(), [
        'prefect.work-pool.created kept',
        'prefect.work-pool.not-ready kept',
      ]);
    });

    test('a worker whose first heartbeat fails leaves no pool, template or event', async () => {
      const statement = (kind: 'refuse' | 'allow') =>
        database === 'postgres'
          ? `alter table worker ${kind === 'refuse' ? 'add constraint refused check (false) not valid' : 'drop constraint refused'}`
          : kind === 'refuse'
            ? 'create trigger refused before insert on worker begin select * from missing_table; end'
            : 'drop trigger refused';
      const change = (kind: 'refuse' | 'allow') =>
        server.server.store.transaction(0, (tx) => tx.execute(sql.raw(`${statement(kind)} /* "workspace" */`)));
      const eventsOf = async (pool: string) => {
        const { body } = await server.post('/events/filter', { filter: { event: { prefix: ['prefect.work-pool.'] } } });
        return body.events
          .filter(({ resource }: { resource: Record<string, string> }) => resource['prefect.resource.name'] === pool)
          .map(({ event }: { event: string }) => event)
          .sort();
      };
      const variables = { properties: { command: { type: 'string' } } };
      const default_base_job_template = { job_configuration: { command: '{{ command }}' }, variables };
      const wanted = { create_pool_if_not_found: true, default_base_job_template };
      const before = await makePool('plain');
      await change('refuse');
      for (const pool of ['half-made', 'plain']) {
        assert.equal(await endOf(pool, hello(wanted)), '1011 transient_server_error');
      }
      await change('allow');
      assert.equal((await server.get('/work_pools/half-made')).status, 404);
      const after = (await server.get('/work_pools/plain')).body;
      assert.deepEqual([after.base_job_template, after.updated], [before.base_job_template, before.updated]);
      assert.deepEqual(await eventsOf('half-made'), []);
      assert.deepEqual(await eventsOf('plain'), ['prefect.work-pool.created', 'prefect.work-pool.not-ready']);
      const { client } = await greet('half-made', wanted);
      client.close();
      assert.deepEqual(await eventsOf('half-made'), ['prefect.work-pool.created', 'prefect.work-pool.ready']);
    });

    test('a worker that sends hello is online, and learns its pool and queues', async () => {
      await makePool('hello');
      await server.post('/work_pools/hello/queues', { name: 'urgent', priority: 1 });
      const { client, ready } = await greet('hello');
      assert.equal(ready.consumer_id, consumer_id);
      assert.equal(ready.effective_heartbeat_interval_seconds, 30);
      assert.deepEqual(ready.accepted_capabilities, required);
      assert.deepEqual(
        ready.resolved_work_queues.map(({ name }: { name: string }) => name),
        ['urgent', 'default'],
      );
      const { body: pool } = await server.get('/work_pools/hello');
      assert.deepEqual(ready.initial_snapshot, { snapshot_sequence: 1, reason: 'initial', work_pool: pool });
      assert.equal(pool.status, 'READY');
      const { body: workers } = await server.post('/work_pools/hello/workers/filter', {});
      assert.deepEqual([workers[0].name, workers[0].status], ['w', 'ONLINE']);
      client.close();
      const { client: one, ready: chosen } = await greet('hello', { work_queue_names: ['default'], foo: undefined });
      assert.equal(chosen.resolved_work_queues.length, 1);
      one.close();
    });

    test('a missing pool is created on request of the worker, and a pool without a template gets that of the worker', async () => {
      const template = {
        job_configuration: { command: '{{ command }}' },
        variables: { type: 'object', properties: { command: { type: 'string' } } },
      };
      const made = await greet('made', { create_pool_if_not_found: true });
      assert.deepEqual(made.ready.initial_snapshot.work_pool.base_job_template, {});
      const filled = await greet('made', { default_base_job_template: template });
      assert.deepEqual(filled.ready.initial_snapshot.work_pool.base_job_template, template);
      const { type, payload } = await made.client.next();
      assert.deepEqual(
        [type, payload.snapshot_sequence, payload.reason],
        ['work_pool.snapshot.v1', 2, 'work_pool_updated'],
      );
      const kept = await greet('made', { default_base_job_template: { ...template, job_configuration: { a: 1.0 } } });
      assert.deepEqual(kept.ready.initial_snapshot.work_pool.base_job_template, template);
      for (const { client } of [made, filled, kept]) client.close();
      assert.equal(await endOf('none', hello()), '1008 authorization_failed');
      assert.equal(await endOf('prefect-x', hello({ create_pool_if_not_found: true })), '1008 authorization_failed');
      const bad = { create_pool_if_not_found: true, default_base_job_template: { job_configuration: {} } };
      assert.equal(await endOf('bad', hello(bad)), '1002 protocol_error');
    });

    test('a worker hears changes of its pool only', async () => {
      await makePool('changes');
      await makePool('other');
      const { client } = await greet('changes');
      await server.patch('/work_pools/changes', { description: 'told of nowhere' });
      await server.patch('/work_pools/other', { is_paused: true });
      await server.patch('/work_pools/changes', { is_paused: true });
      const paused = (await client.next()).payload;
      assert.deepEqual([paused.snapshot_sequence, paused.work_pool.status], [2, 'PAUSED']);
      await server.patch('/work_pools/changes', { concurrency_limit: 3 });
      const limited = (await client.next()).payload;
      assert.deepEqual([limited.snapshot_sequence, limited.work_pool.concurrency_limit], [3, 3]);
      const ended = client.ended();
      await server.delete('/work_pools/changes');
      assert.equal(await ended, '1008 authorization_failed');
    });

    test('heartbeats keep the worker online; those of another worker close the channel', async () => {
      await makePool('beats');
      const beat = { consumer_id, worker_name: 'w', heartbeat_interval_seconds: 7 };
      const { client } = await greet('beats');
      client.send(frame('worker.heartbeat.v1', beat));
      await client.ping();
      const { body: workers } = await server.post('/work_pools/beats/workers/filter', {});
      assert.equal(workers[0].heartbeat_interval_seconds, 7);
      const ended = client.ended();
      client.send(frame('worker.heartbeat.v1', { ...beat, worker_name: 'v' }));
      assert.equal(await ended, '1002 protocol_error');
    });

    test('an unusable hello and frames out of order close the channel with a reason', async () => {
      await makePool('strict');
      const end = (given: object) => endOf('strict', hello(given));
      assert.equal(await end({ supported_channel_versions: ['v9'] }), '1008 unsupported_version');
      assert.equal(await end({ work_queue_names: ['none'] }), '1008 authorization_failed');
      assert.equal(await end({ requested_capabilities: required.slice(1) }), '1002 protocol_error');
      assert.equal(await end({ handled_cleanup_kinds: [kind] }), '1002 protocol_error');
      assert.equal(await end({ heartbeat_interval_seconds: 0 }), '1002 protocol_error');
      assert.equal(await end({ unknown: 1 }), '1002 protocol_error');
      assert.equal(await endOf('strict', 'no json'), '1002 protocol_error');
      assert.equal(await endOf('strict', hello(), hello()), '1002 protocol_error');
      const beat = { consumer_id, worker_name: 'w', heartbeat_interval_seconds: 7 };
      assert.equal(await endOf('strict', frame('worker.heartbeat.v1', beat)), '1002 protocol_error');
    });

    /** Requests the cleanup after a run whose cancellation timed out; returns the run. */
    const giveUp = async (pool: string, infrastructure_pid: string) => {
      const { body: queue } = await server.get(`/work_pools/${pool}/queues/default`);
      const run = { id: newId(), work_queue_id: queue.id, infrastructure_pid };
      const context = server.context();
      await context.transaction((tx) => requestTeardown(context, tx, run));
      return run;
    };
    const operate = async (client: SocketClient, operation: string, payload: object): Promise<string> => {
      client.send(frame(`cleanup.${operation}.v1`, payload));
      const { type, payload: result } = await client.next();
      assert.equal(type, 'cleanup.operation_result.v1');
      assert.equal(result.operation, operation);
      return [result.status, result.reason].filter((text) => text !== null).join(' ');
    };
    const tokenOf = ({ payload: { message_id, reservation_token } }: { payload: Record<string, string> }) => ({
      message_id,
      reservation_token,
    });

    test('a cleanup request goes to one worker, which confirms it', async () => {
      await makePool('teardown');
      const waiting = await giveUp('teardown', 'host:1');
      const { client, ready } = await greet('teardown', cleaning);
      assert.equal(ready.effective_max_cleanup_concurrency, 1);
      const message = await client.next();
      assert.equal(message.type, 'cleanup.message.v1');
      const { lease_expires_at, reservation_token, work_queue_id, ...rest } = message.payload;
      assert.ok(lease_expires_at > systemClock.now() && reservation_token && work_queue_id === waiting.work_queue_id);
      assert.deepEqual(rest, {
        message_id: waiting.id,
        delivery_count: 1,
        data: {},
        kind,
        target: { flow_run_id: waiting.id, infrastructure_pid: 'host:1' },
      });
      const second = await giveUp('teardown', 'host:2');
      const held = tokenOf(message);
      const wrong = { ...held, reservation_token: 'wrong' };
      assert.equal(await operate(client, 'ack', wrong), 'invalid_token reservation_token_mismatch');
      assert.equal(await operate(client, 'renew', held), 'accepted');
      assert.equal(await operate(client, 'ack', held), 'accepted');
      const next = await client.next();
      assert.equal(next.payload.message_id, second.id);
      assert.equal(await operate(client, 'ack', tokenOf(next)), 'accepted');
      assert.equal(await operate(client, 'ack', held), 'not_found message_not_found');
      client.close();
    });

    test('a returned cleanup request is delivered again, three times at most', async () => {
      await makePool('back');
      const { client } = await greet('back', cleaning);
      await giveUp('back', 'host:1');
      for (const [delivery, result] of [
        [1, 'accepted'],
        [2, 'accepted'],
        [3, 'dead_lettered max_delivery_attempts_reached'],
      ] as const) {
        const message = await client.next();
        assert.equal(message.payload.delivery_count, delivery);
        assert.equal(await operate(client, 'release', { ...tokenOf(message), reason: 'busy' }), result);
      }
      await client.ping();
      assert.deepEqual(client.unread, []);
      client.close();
      const plain = await greet('back');
      const refused = await operate(plain.client, 'ack', { message_id: newId(), reservation_token: 'x' });
      assert.equal(refused, 'unauthorized cleanup_delivery_not_accepted');
      plain.client.close();
    });

    test('a cleanup request whose holder vanished goes to another worker when the reservation expires', async () => {
      const pool = await makePool('vanished');
      const { id, work_queue_id } = await giveUp('vanished', 'host:1');
      const wish = { work_pool_id: pool.id, queues: [work_queue_id], kinds: [kind], limit: 9 };
      const past = server.context(addSeconds(systemClock.now(), -31));
      assert.equal((await reserveCleanups(past, wish)).length, 1);
      assert.equal((await reserveCleanups(past, wish)).length, 0);
      const { client } = await greet('vanished', cleaning);
      const message = await client.next();
      assert.deepEqual([message.payload.message_id, message.payload.delivery_count], [id, 2]);
      client.close();
    });

    test('no cleanup is requested for a pool without workers of its own', async () => {
      await server.post('/work_pools/', { name: 'pushed', type: 'ecs:push' });
      await giveUp('pushed', 'arn:1');
      const { client } = await greet('pushed', cleaning);
      await client.ping();
      assert.deepEqual(client.unread, []);
      client.close();
    });
  });
}

describe('the worker channel of a server with a password', () => {
  // Source: answers of the Prefect server 3.9.1.
  test('a worker that does not sign in gets a one-word reason', async () => {
    const server = await startServer({ config: { apiAuth: 'basic', apiAuthString: 'admin:pass' } });
    try {
      const url = `${await server.listen()}/work_pools/any/workers/connect`;
      for (const first of [{ type: 'auth', token: null }, { type: 'auth', token: 'x' }, { type: 'nope' }]) {
        const client = await connect(url, { protocols: ['prefect'] });
        client.send(first);
        assert.equal(await client.ended(), '1008 authentication_failed');
      }
    } finally {
      await server.stop();
    }
  });
});
