import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from '../../../../test/support/server.ts';

/** The expected values are answers of the Prefect server 3.9.1. */
describe('the old names of retry settings', () => {
  let server: TestServer;
  let flow_id: string;
  before(async () => {
    server = await startServer();
    flow_id = (await server.post('/flows/', { name: 'retried' })).body.id;
  });
  after(() => server.stop());

  let tasks = 0;
  const create = (kind: 'flow' | 'task', empirical_policy: object) => {
    tasks += 1;
    return kind === 'flow'
      ? server.post('/flow_runs/', { flow_id, empirical_policy })
      : server.post('/task_runs/', { task_key: 'k', dynamic_key: String(tasks), empirical_policy });
  };

  for (const kind of ['flow', 'task'] as const) {
    test(`fill empty settings of a ${kind} run`, async () => {
      for (const nothing of ['', [], {}, 0, false, null]) {
        const retries = await create(kind, { max_retries: 3, retries: nothing });
        assert.equal(retries.status, 201, retries.text);
        assert.equal(retries.body.empirical_policy.retries, 3, JSON.stringify(nothing));
        const delay = await create(kind, { retry_delay_seconds: 2, retry_delay: nothing });
        assert.equal(delay.status, 201, delay.text);
        assert.equal(delay.body.empirical_policy.retry_delay, 2, JSON.stringify(nothing));
      }
    });

    test(`change nothing in a ${kind} run when they are empty`, async () => {
      for (const policy of [
        { retries: '' },
        { retries: '', max_retries: 0 },
        { retries: [], max_retries: 0 },
        { retries: {}, retry_delay_seconds: 3 },
      ]) {
        const { status, body } = await create(kind, policy);
        assert.equal(status, 422, JSON.stringify(policy));
        assert.deepEqual(body.exception_detail[0].loc, ['body', 'empirical_policy', 'retries']);
      }
      const wrong = await create(kind, { max_retries: 'x', retries: '' });
      assert.deepEqual(
        wrong.body.exception_detail.map(({ loc, input }: { loc: string[]; input: unknown }) => [loc.at(-1), input]),
        [
          ['max_retries', 'x'],
          ['retries', 'x'],
        ],
      );
    });
  }
});
