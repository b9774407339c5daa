import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../test/support/server.ts';
import { addSeconds, systemClock } from '../../values/time.ts';
import { lateRuns } from './late-runs.ts';

for (const database of databases) {
  describe(`late runs on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'tardy' })).body.id;
    });
    after(() => server.stop());

    /** Two replicas pass at the same time, so many seconds from now, until nothing is left to do. */
    async function look(seconds: number): Promise<void> {
      const now = addSeconds(systemClock.now(), seconds);
      const left = await Promise.all([lateRuns.runOnce(server.context(now)), lateRuns.runOnce(server.context(now))]);
      if (left.includes(true)) await look(seconds);
    }
    const scheduled_time = '2026-01-01T00:00:00Z';
    async function create(state: object): Promise<string> {
      return (await server.post('/flow_runs/', { flow_id, state })).body.id;
    }
    const names = async (id: string): Promise<string[]> =>
      (await server.get(`/flow_run_states/?flow_run_id=${id}`)).body.map(({ name }: { name: string }) => name);

    test('a run fifteen seconds past its start is late, with one event for all replicas', async () => {
      const id = await create({ type: 'SCHEDULED' });
      await look(14);
      assert.deepEqual(await names(id), ['Scheduled']);
      await look(16);
      await look(20);
      assert.deepEqual(await names(id), ['Scheduled', 'Late']);
      const filter = {
        resource: { id: [`prefect.flow-run.${id}`] },
        occurred: { until: addSeconds(systemClock.now(), 99) },
      };
      const { events } = (await server.post('/events/filter', { filter })).body;
      assert.deepEqual(events.map(({ event }: { event: string }) => event).sort(), [
        'prefect.flow-run.Late',
        'prefect.flow-run.Scheduled',
      ]);
    });

    test('a late run keeps its due time', async () => {
      const id = await create({ type: 'SCHEDULED', state_details: { scheduled_time } });
      await look(0);
      const run = (await server.get(`/flow_runs/${id}`)).body;
      assert.deepEqual(
        [
          run.state.name,
          run.state.state_details.scheduled_time,
          run.next_scheduled_start_time,
          run.expected_start_time,
        ],
        ['Late', scheduled_time, scheduled_time, scheduled_time],
      );
    });

    test('runs that retry, wait for a slot or have started are not late', async () => {
      const states = [
        { type: 'SCHEDULED', name: 'AwaitingRetry', state_details: { scheduled_time } },
        { type: 'SCHEDULED', name: 'AwaitingConcurrencySlot', state_details: { scheduled_time } },
        { type: 'PENDING' },
        { type: 'RUNNING' },
      ];
      const ids = await Promise.all(states.map(create));
      await look(60);
      for (const id of ids) assert.equal((await names(id)).length, 1);
    });

    test('all due runs become late, batch by batch', async () => {
      await Promise.all(
        Array.from({ length: 450 }, () => create({ type: 'SCHEDULED', state_details: { scheduled_time } })),
      );
      await look(0);
      const waiting = await server.post('/flow_runs/count', {
        flow_runs: { state: { name: { any_: ['Scheduled'] } } },
      });
      assert.equal(waiting.body, 0);
    });
  });
}
