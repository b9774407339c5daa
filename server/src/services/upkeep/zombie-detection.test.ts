import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { newId } from '../../values/id.ts';
import { addSeconds, systemClock, type Timestamp } from '../../values/time.ts';
import { ZombieDetection } from './zombie-detection.ts';

for (const database of databases) {
  describe(`runs without a process, on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'watched' })).body.id;
    });
    after(() => server.stop());

    const start = async (type = 'RUNNING') =>
      (await server.post('/flow_runs/', { flow_id, state: { type } })).body.id as string;
    const beat = async (id: string, occurred: Timestamp) => {
      const resource = { 'prefect.resource.id': `prefect.flow-run.${id}`, 'prefect.resource.name': 'run' };
      const event = { id: newId(), event: 'prefect.flow-run.heartbeat', occurred, resource, payload: {} };
      assert.equal((await server.post('/events', [event])).status, 204);
    };
    const stateOf = async (id: string) => (await server.get(`/flow_runs/${id}`)).body.state;
    const later = (seconds: number) => addSeconds(systemClock.now(), seconds);
    /** A service that passes every quarter of a minute, until so many seconds from now. */
    const watch = async (from: number, to: number, replicas = 1) => {
      const services = Array.from({ length: replicas }, () => new ZombieDetection());
      for (let at = from; at <= to; at += 15) {
        await Promise.all(services.map((service) => service.runOnce(server.context(later(at)))));
      }
    };

    test('a run that misses its heartbeats for three intervals is marked crashed, once, with a reason', async () => {
      const id = await start();
      await beat(id, later(-30));
      await beat(id, later(0));
      await watch(-60, 60);
      assert.equal((await stateOf(id)).type, 'RUNNING');
      await watch(-60, 105, 2);
      const state = await stateOf(id);
      assert.equal(state.type, 'CRASHED');
      assert.match(state.message, /^No heartbeat for \d+ seconds, but one was due every 30 seconds\. /);
      const states = (await server.get(`/flow_run_states/?flow_run_id=${id}`)).body;
      assert.equal(states.length, 2);
    });

    test('the configured interval applies until a second heartbeat shows the real one', async () => {
      const id = await start();
      await beat(id, later(0));
      await watch(-60, 495);
      assert.equal((await stateOf(id)).type, 'RUNNING');
      await watch(-60, 555);
      assert.equal((await stateOf(id)).type, 'CRASHED');
    });

    test('a run with a long interval gets three of them', async () => {
      const id = await start();
      await beat(id, later(-600));
      await beat(id, later(0));
      await watch(-60, 1740);
      assert.equal((await stateOf(id)).type, 'RUNNING');
      await watch(1700, 3600);
      assert.equal((await stateOf(id)).type, 'CRASHED');
    });

    test('runs that never sent a heartbeat, ended or are paused are unchanged', async () => {
      const [silent, ended, paused] = [await start(), await start(), await start()];
      for (const id of [ended, paused]) {
        await beat(id, later(-30));
        await beat(id, later(0));
      }
      await server.post(`/flow_runs/${ended}/set_state`, { state: { type: 'COMPLETED' } });
      await server.post(`/flow_runs/${paused}/set_state`, { state: { type: 'PAUSED' } });
      await watch(-60, 600);
      assert.equal((await stateOf(silent)).type, 'RUNNING');
      assert.equal((await stateOf(ended)).type, 'COMPLETED');
      assert.equal((await stateOf(paused)).type, 'PAUSED');
    });

    test('heartbeats of two starts of a run do not define an interval', async () => {
      const id = await start();
      await beat(id, later(-31));
      await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' }, force: true });
      await beat(id, later(0));
      await watch(-60, 300);
      assert.equal((await stateOf(id)).type, 'RUNNING');
    });

    test('heartbeats that arrive in any order, late or twice, neither crash a run early nor keep it alive', async () => {
      const beats = [later(-60), later(-30), later(0)];
      const runs: string[] = [];
      for (const order of ['012', '021', '102', '120', '201', '210', '0012', '2210', '1021']) {
        const id = await start();
        for (const index of order) await beat(id, beats[Number(index)]!);
        runs.push(id);
      }
      const types = () => Promise.all(runs.map(async (id) => (await stateOf(id)).type));
      await watch(-60, 75);
      assert.deepEqual(new Set(await types()), new Set(['RUNNING']));
      // Two beats may look like one interval of twice the length, or like none, which counts as the longest.
      await watch(-60, 555);
      assert.deepEqual(new Set(await types()), new Set(['CRASHED']));
    });

    test('runs get their full time again after a pause of the service', async () => {
      const id = await start();
      await beat(id, later(-30));
      await beat(id, later(0));
      const service = new ZombieDetection();
      await service.runOnce(server.context(later(-60)));
      // The service slept, so the missing heartbeats are its own gap.
      await service.runOnce(server.context(later(10_000)));
      assert.equal((await stateOf(id)).type, 'RUNNING');
      for (let at = 10_015; at <= 10_105; at += 15) await service.runOnce(server.context(later(at)));
      assert.equal((await stateOf(id)).type, 'CRASHED');
    });

    test('a run that was marked crashed may still complete', async () => {
      const id = await start();
      await beat(id, later(-30));
      await beat(id, later(0));
      await watch(-60, 105);
      assert.equal((await stateOf(id)).type, 'CRASHED');
      const answer = await server.post(`/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' } });
      assert.equal(answer.body.status, 'ACCEPT');
    });

    test('a heartbeat of an unknown run is an ordinary event', async () => {
      await beat(newId(), later(0));
      await beat('not-an-id', later(0));
    });
  });
}
