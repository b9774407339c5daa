import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';

/** Seconds: longer than the calendar. */
const ENDLESS = [1e12, 9_007_199_254_740_991];

for (const database of databases) {
  describe(`delays that end after the calendar on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'patient' })).body.id;
    });
    after(() => server.stop());

    test('a run that waits for a retry that long waits until the end of the year 9999', async () => {
      for (const retry_delay of ENDLESS) {
        const run = await server.post('/flow_runs/', { flow_id, empirical_policy: { retries: 1, retry_delay } });
        assert.equal(run.status, 201, run.text);
        const path = `/flow_runs/${run.body.id}/set_state`;
        await server.post(path, { state: { type: 'RUNNING' } });
        const failed = await server.post(path, { state: { type: 'FAILED' } });
        assert.equal(failed.body.status, 'REJECT', failed.text);
        assert.match(failed.body.state.state_details.scheduled_time, /^9999-12-31T23:59:59/);
      }
    });

    test('a schedule that is asked for runs before, or long after, the calendar answers', async () => {
      const deployment = await server.post('/deployments/', { name: 'once', flow_id });
      for (const seconds of ENDLESS.flatMap((length) => [length, -length])) {
        const asked = await server.post(`/deployments/${deployment.body.id}/schedule`, { min_time: seconds });
        assert.ok([200, 422].includes(asked.status), `${seconds}: ${asked.text}`);
      }
    });
  });
}
