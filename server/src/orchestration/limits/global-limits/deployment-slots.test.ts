import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, startServer, type TestServer } from '../../../../test/support/server.ts';
import { leaseExpiry } from '../../../services/upkeep/lease-expiry.ts';
import { addSeconds, systemClock, type Timestamp } from '../../../values/time.ts';
import { setFlowRunState } from '../../runs/flow-runs/operations.ts';
import type { Proposal } from '../../runs/rows/state.ts';
import { markFlowRunLate } from '../../runs/state-machine.ts';

const CURRENT = { 'user-agent': 'prefect/3.9.1 (API 0.8.4)' };
const OLD = { 'user-agent': 'prefect/3.4.10 (API 0.8.4)' };
const TAKES_SLOTS_ITSELF = { 'user-agent': 'prefect/3.0.1 (API 0.8.2)' };

for (const database of databases) {
  describe(`the concurrency limit of a deployment on ${database}`, () => {
    let server: TestServer;
    let flow_id: string;
    before(async () => {
      server = await startServer({ database });
      flow_id = (await server.post('/flows/', { name: 'limited' })).body.id;
    });
    after(() => server.stop());

    let count = 0;
    const deploy = async (concurrency_limit: number | null, concurrency_options?: object) =>
      (await server.post('/deployments/', { name: `d${count++}`, flow_id, concurrency_limit, concurrency_options }))
        .body.id as string;
    const create = async (deployment: string, more: object = {}) =>
      (await server.post(`/deployments/${deployment}/create_flow_run`, more)).body.id as string;
    const set = async (run: string, state: object, { headers = CURRENT, force = false } = {}) =>
      (await server.post(`/flow_runs/${run}/set_state`, { state, force }, headers)).body;
    const pending = { type: 'PENDING' };
    const running = { type: 'RUNNING' };
    const active = async (deployment: string) =>
      (await server.get(`/deployments/${deployment}`)).body.global_concurrency_limit?.active_slots;
    const leaseOf = (answer: { state: { state_details: { deployment_concurrency_lease_id: string } } }) =>
      answer.state.state_details.deployment_concurrency_lease_id;
    const later = (seconds: number) => addSeconds(systemClock.now(), seconds);
    /** Proposes a state as a client of a current SDK would at that time. */
    const setAt = async (now: Timestamp, run: string, state: Proposal) => {
      const context = server.context(now);
      const asClient = { ...context, client: { ...context.client, version: '3.9.1' } };
      return (await setFlowRunState(asClient, run, state, false)).body;
    };

    test('deleting a running run frees the slot that its client took, and no other', async () => {
      const deployment = await deploy(2);
      const limit = { names: [`deployment:${deployment}`], slots: 1 };
      const [itself, scheduled, leased] = [
        await create(deployment),
        await create(deployment),
        await create(deployment),
      ];
      await set(itself, pending, { headers: TAKES_SLOTS_ITSELF });
      assert.equal((await server.post('/v2/concurrency_limits/increment', limit)).status, 200);
      await set(leased, pending);
      assert.equal(await active(deployment), 2);
      await server.delete(`/flow_runs/${scheduled}`);
      assert.equal(await active(deployment), 2);
      await server.delete(`/flow_runs/${leased}`);
      assert.equal(await active(deployment), 1);
      await server.delete(`/flow_runs/${itself}`);
      assert.equal(await active(deployment), 0);
    });

    test('a forced state keeps the id of a lease whose slot is free, and gives no slot back twice', async () => {
      for (const type of ['SCHEDULED', 'CANCELLED', 'FAILED', 'CRASHED', 'COMPLETED', 'PAUSED']) {
        const deployment = await deploy(1);
        const [first, second] = [await create(deployment), await create(deployment)];
        const lease = leaseOf(await set(first, pending));
        await set(first, running);
        const state_details = type === 'SCHEDULED' ? { scheduled_time: '2026-11-26T00:00:00Z' } : {};
        assert.equal(leaseOf(await set(first, { type, state_details }, { force: true })), lease, type);
        assert.equal(leaseOf((await server.get(`/flow_runs/${first}`)).body), lease, type);
        assert.equal(await active(deployment), 0, type);
        assert.ok(leaseOf(await set(second, pending)));
        for (const state of [running, { type: 'COMPLETED' }]) await set(first, state, { force: true });
        assert.equal(await active(deployment), 1, `${type}: the second run still holds its slot`);
      }
    });

    test('a run holds its slot from pending to its end, and others wait 30 seconds', async () => {
      const deployment = await deploy(1);
      const [first, second] = [await create(deployment), await create(deployment)];
      const lease = leaseOf(await set(first, pending));
      assert.ok(lease);
      const refused = await set(second, pending);
      assert.equal(refused.status, 'REJECT');
      assert.equal(refused.details.reason, 'Deployment concurrency limit reached.');
      assert.equal(refused.state.name, 'AwaitingConcurrencySlot');
      assert.equal(leaseOf(refused), null);
      const waits = Date.parse(refused.state.state_details.scheduled_time) - Date.parse(refused.state.timestamp);
      assert.equal(waits, 30_000);
      for (const state of [{ ...pending, name: 'Submitting' }, running, { type: 'CANCELLING' }]) {
        assert.equal(leaseOf(await set(first, state)), lease);
        assert.equal(await active(deployment), 1);
      }
      await set(first, { type: 'CANCELLED' });
      assert.equal(await active(deployment), 0);
      assert.equal((await set(second, pending)).status, 'ACCEPT');
    });

    test('with cancellation chosen, a run without a free slot is cancelled, and so is a late one', async () => {
      const deployment = await deploy(1, { collision_strategy: 'CANCEL_NEW' });
      const [first, second, third] = [await create(deployment), await create(deployment), await create(deployment)];
      await set(first, pending);
      const refused = await set(second, pending);
      assert.equal(refused.state.type, 'CANCELLED');
      assert.equal(refused.state.message, 'Deployment concurrency limit reached.');
      const context = server.context(later(60));
      const late = await context.transaction((tx) => markFlowRunLate(context, tx, third, context.now));
      assert.equal(late?.body.state?.type, 'CANCELLED');
      assert.match(late?.body.state?.message ?? '', /full and uses the CANCEL_NEW strategy/);
    });

    test('a run that awaits a retry in its process keeps its slot, and frees it on cancellation', async () => {
      const deployment = await deploy(1);
      const retries = { empirical_policy: { retries: 2, retry_delay: 0 } };
      const run = await create(deployment, retries);
      await set(run, pending);
      const lease = leaseOf(await set(run, running));
      const failed = await set(run, { type: 'FAILED' });
      assert.equal(failed.state.name, 'AwaitingRetry');
      assert.equal(await active(deployment), 1);
      // A worker that picks up the run finds its slot.
      assert.equal(leaseOf(await set(run, pending)), lease);
      await set(run, running);
      await set(run, { type: 'FAILED' });
      await set(run, { type: 'CANCELLED' });
      assert.equal(await active(deployment), 0);
    });

    test('a pause frees the slot', async () => {
      const deployment = await deploy(1);
      const run = await create(deployment);
      await set(run, pending);
      await set(run, running);
      await set(run, { type: 'PAUSED' });
      assert.equal(await active(deployment), 0);
    });

    test('forced states keep the slot of a run that continues, and free the slot of one that ended', async () => {
      const deployment = await deploy(1);
      const run = await create(deployment);
      const lease = leaseOf(await set(run, pending));
      assert.equal(leaseOf(await set(run, running, { force: true })), lease);
      assert.equal(await active(deployment), 1);
      await set(run, { type: 'SCHEDULED' }, { force: true });
      assert.equal(await active(deployment), 0);
      // A run that is forced to PENDING takes no slot, and keeps the name of the one that it had.
      assert.equal(leaseOf(await set(run, pending, { force: true })), lease);
      assert.equal(await active(deployment), 0);
    });

    test("a run without a slot does not free another's slot", async () => {
      const deployment = await deploy(1);
      const [holder, other] = [await create(deployment), await create(deployment)];
      await set(holder, pending);
      await set(other, running);
      await set(other, { type: 'COMPLETED' });
      assert.equal(await active(deployment), 1);
    });

    test('a slot that was lost during preparation is taken again, or the run is cancelled', async () => {
      const deployment = await deploy(1, { collision_strategy: 'ENQUEUE', grace_period_seconds: 60 });
      const [first, second] = [await create(deployment), await create(deployment)];
      const lease = leaseOf(await set(first, pending));
      const again = await setAt(later(61), first, { type: 'RUNNING' });
      assert.equal(again.status, 'ACCEPT');
      assert.notEqual(again.state && JSON.parse(again.state.state_details).deployment_concurrency_lease_id, lease);
      await set(first, { type: 'COMPLETED' });

      await set(first, pending);
      assert.equal((await setAt(later(61), second, { type: 'PENDING' })).status, 'ACCEPT');
      const lost = await setAt(later(62), first, { type: 'RUNNING' });
      assert.equal(lost.state?.type, 'CANCELLED');
      assert.match(lost.state?.message ?? '', /^Deployment concurrency slot lost during provisioning - /);
    });

    test('the slot of a dead client is freed, once, when its lease expires', async () => {
      const deployment = await deploy(1);
      const [dead, next] = [await create(deployment), await create(deployment)];
      await set(dead, pending);
      const lease = leaseOf(await set(dead, running));
      await server.post(`/v2/concurrency_limits/leases/${lease}/renew`, { lease_duration: 300 });
      await leaseExpiry.runOnce(server.context(later(200)));
      assert.equal(await active(deployment), 1);
      await Promise.all([1, 2].map(() => leaseExpiry.runOnce(server.context(later(400)))));
      assert.equal(await active(deployment), 0);
      assert.equal((await set(next, pending)).status, 'ACCEPT');
      // A later state of the dead run does not take the slot of the next.
      await set(dead, { type: 'CRASHED' });
      assert.equal(await active(deployment), 1);
    });

    test('clients that renew no leases keep their slot until the run ends', async () => {
      const deployment = await deploy(1);
      const run = await create(deployment);
      await set(run, pending, { headers: OLD });
      await set(run, running, { headers: OLD });
      await leaseExpiry.runOnce(server.context(later(1_000_000)));
      assert.equal(await active(deployment), 1);
      await set(run, { type: 'COMPLETED' }, { headers: OLD });
      assert.equal(await active(deployment), 0);
    });

    test('clients that take slots themselves get none', async () => {
      const deployment = await deploy(1);
      const run = await create(deployment);
      assert.equal(leaseOf(await set(run, pending, { headers: TAKES_SLOTS_ITSELF })), null);
      assert.equal(await active(deployment), 0);
    });

    test('with a limit of 0 no run starts, and with an inactive limit every run starts', async () => {
      const deployment = await deploy(1);
      const run = await create(deployment);
      await server.patch(`/v2/concurrency_limits/deployment:${deployment}`, { limit: 0 });
      const refused = await set(run, pending);
      assert.equal(refused.status, 'ABORT');
      assert.match(refused.details.reason, /^The deployment concurrency limit is 0\. The flow will deadlock/);
      await server.patch(`/v2/concurrency_limits/deployment:${deployment}`, { active: false });
      assert.equal((await set(run, pending)).status, 'ACCEPT');
    });

    test('a deleted run holds no slot, and runs of a deleted limit or deployment can end', async () => {
      const deployment = await deploy(1);
      const [deleted, other] = [await create(deployment), await create(deployment)];
      await set(deleted, pending);
      await server.delete(`/flow_runs/${deleted}`);
      assert.equal(await active(deployment), 0);
      await set(other, pending);
      await server.patch(`/deployments/${deployment}`, { concurrency_limit: null });
      await set(other, running);
      await server.delete(`/deployments/${deployment}`);
      assert.equal((await set(other, { type: 'COMPLETED' })).status, 'ACCEPT');
    });

    test('concurrent runs get exactly as many slots as there are', async () => {
      const deployment = await deploy(3);
      const runs = await Promise.all(Array.from({ length: 12 }, () => create(deployment)));
      const answers = await Promise.all(runs.map((run) => set(run, pending)));
      assert.equal(answers.filter(({ status }) => status === 'ACCEPT').length, 3);
      assert.equal(await active(deployment), 3);
      await Promise.all(runs.map((run) => set(run, { type: 'CRASHED' })));
      assert.equal(await active(deployment), 0);
    });
  });
}
