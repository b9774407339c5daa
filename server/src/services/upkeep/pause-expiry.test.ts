import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addSeconds, systemClock } from '../../values/time.ts';
import { pauseExpiry } from './pause-expiry.ts';

for (const database of databases) {
  describe(`paused runs on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'paused' })).body.id;
    });
    after(() => server.stop());

    const later = (seconds: number) => addSeconds(systemClock.now(), seconds);
    const set = (id: string, state: object) => server.post(`/flow_runs/${id}/set_state`, { state });
    const paused = async (seconds: number | null) => {
      const { id } = (await server.post('/flow_runs/', { flow_id, state: { type: 'RUNNING' } })).body;
      const pause_timeout = seconds === null ? null : later(seconds);
      await set(id, { type: 'PAUSED', state_details: { pause_timeout } });
      return id as string;
    };
    /** Two replicas pass at the same time. */
    const look = (seconds: number) =>
      Promise.all([1, 2].map(() => pauseExpiry.runOnce(server.context(later(seconds)))));
    const history = async (id: string) =>
      (await server.get(`/flow_run_states/?flow_run_id=${id}`)).body.map((state: { type: string }) => state.type);

    test('a run that is not resumed in time fails, once', async () => {
      const [short, long, forever] = [await paused(100), await paused(5000), await paused(null)];
      await look(10);
      assert.deepEqual(await history(short), ['RUNNING', 'PAUSED']);
      await look(200);
      assert.deepEqual(await history(short), ['RUNNING', 'PAUSED', 'FAILED']);
      const { state } = (await server.get(`/flow_runs/${short}`)).body;
      assert.equal(state.message, 'The flow was paused and never resumed.');
      for (const id of [long, forever]) assert.deepEqual(await history(id), ['RUNNING', 'PAUSED']);
    });

    test('a run that continued, was cancelled or was deleted is unchanged, and the others still fail', async () => {
      const [waiting, resumed, cancelled, deleted] = [
        await paused(100),
        await paused(100),
        await paused(100),
        await paused(100),
      ];
      await set(resumed, { type: 'RUNNING' });
      await set(cancelled, { type: 'CANCELLED' });
      await server.delete(`/flow_runs/${deleted}`);
      await look(1000);
      assert.deepEqual(await history(resumed), ['RUNNING', 'PAUSED', 'RUNNING']);
      assert.deepEqual(await history(cancelled), ['RUNNING', 'PAUSED', 'CANCELLED']);
      assert.deepEqual(await history(waiting), ['RUNNING', 'PAUSED', 'FAILED']);
    });

    test("a service's change of a run is an event", async () => {
      const id = await paused(100);
      await look(200);
      const filter = { event: { name: ['prefect.flow-run.Failed'] }, resource: { id: [`prefect.flow-run.${id}`] } };
      const until = later(3600);
      const { events } = (await server.post('/events/filter', { filter: { ...filter, occurred: { until } } })).body;
      assert.equal(events.length, 1);
    });
  });
}
