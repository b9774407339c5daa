/** A workspace of a small shop, with runs that went well, failed, wait and are late: something to ask questions about. */
import assert from 'node:assert/strict';
import { newId } from '../../src/values/id.ts';
import type { TestServer } from './server.ts';

export interface SeededWorkspace {
  /** The newest failed run of `load-orders`, and its task that failed first. */
  readonly failedRun: string;
  readonly failedTask: string;
  readonly waitingRun: string;
  readonly runningRun: string;
  /** A run of `load-orders/nightly` that completed. */
  readonly goodRun: string;
  readonly nightly: string;
}

const TRACEBACK = `Task run failed with exception: KeyError('price')
Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/prefect/task_engine.py", line 1, in run
    yield self
  File "/app/shop/orders.py", line 42, in fetch
    return row['price']
KeyError: 'price'`;
const FAILURE = `Flow run encountered an exception: KeyError: 'price'`;

export async function seedWorkspace(server: TestServer): Promise<SeededWorkspace> {
  const made = async (path: string, body: object) => {
    const { status, text, body: answer } = await server.post(path, body);
    assert.ok(status < 300, `${path}: ${text}`);
    return answer;
  };
  const setState = (kind: 'flow_runs' | 'task_runs', id: string, state: object) =>
    made(`/${kind}/${id}/set_state`, { state, force: true });
  const task = (flow_run_id: string, name: string) =>
    made('/task_runs/', { flow_run_id, name, task_key: name, dynamic_key: newId(), state: { type: 'PENDING' } });
  const log = (lines: readonly (readonly [level: number, message: string, ids: object])[]) =>
    made(
      '/logs/',
      lines.map(([level, message, ids], second) => ({
        name: 'prefect.task_runs',
        level,
        message,
        timestamp: new Date(Date.now() + second * 1000).toISOString(),
        ...ids,
      })),
    );

  for (const [name, is_paused] of [
    ['batch', false],
    ['gpu', true],
  ] as const) {
    await made('/work_pools/', { name, type: 'process', is_paused });
  }
  const deploy = async (flow: string, name: string, fields: object) => {
    const { id: flow_id } = await made('/flows/', { name: flow });
    const { id } = await made('/deployments/', { flow_id, name, ...fields });
    return { id: id as string, flow_id: flow_id as string };
  };
  const nightly = await deploy('load-orders', 'nightly', {
    work_pool_name: 'batch',
    parameters: { region: 'eu', limit: 100 },
    parameter_openapi_schema: {
      type: 'object',
      properties: { region: { type: 'string' }, limit: { type: 'integer' } },
    },
    schedules: [{ schedule: { cron: '0 2 * * *', timezone: 'Europe/Berlin' }, active: true }],
  });
  await deploy('send-report', 'weekly', { work_pool_name: 'batch', paused: true });
  const train = await deploy('train-model', 'gpu', { work_pool_name: 'gpu' });

  const run = async ({ id }: { id: string }, fields: object = {}) =>
    (await made(`/deployments/${id}/create_flow_run`, fields)).id as string;
  const goodRun = await run(nightly, { name: 'good-one' });
  await setState('flow_runs', goodRun, { type: 'RUNNING' });
  await setState('flow_runs', goodRun, { type: 'COMPLETED' });

  let failedRun = '';
  let failedTask = '';
  for (const number of [1, 2, 3]) {
    failedRun = await run(nightly, { name: `bad-${number}`, parameters: { region: 'us' } });
    await setState('flow_runs', failedRun, { type: 'RUNNING' });
    const { id } = await task(failedRun, 'fetch-0');
    failedTask = id;
    await setState('task_runs', id, { type: 'RUNNING' });
    await setState('task_runs', id, { type: 'FAILED', message: `Task run encountered an exception KeyError: 'price'` });
    await setState('flow_runs', failedRun, { type: 'FAILED', message: FAILURE });
  }
  await log([
    [20, 'Fetching page 1 of 1', { flow_run_id: failedRun, task_run_id: failedTask }],
    [40, TRACEBACK, { flow_run_id: failedRun, task_run_id: failedTask }],
    [40, 'Finished in state Failed', { flow_run_id: failedRun }],
  ]);

  const waitingRun = await run(train, { name: 'patient-one' });
  const runningRun = await run(nightly, { name: 'busy-one' });
  await setState('flow_runs', runningRun, { type: 'RUNNING' });
  for (const name of ['fetch-0', 'clean-0', 'store-0']) {
    const { id } = await task(runningRun, name);
    if (name === 'store-0') continue;
    await setState('task_runs', id, { type: 'RUNNING' });
    if (name === 'fetch-0') await setState('task_runs', id, { type: 'COMPLETED' });
  }
  await log(
    Array.from({ length: 60 }, (_, index) => [20, `Stored order ${index + 1}`, { flow_run_id: runningRun }] as const),
  );

  await made('/v2/concurrency_limits/', { name: 'database', limit: 4, active_slots: 3 });
  await made('/variables/', { name: 'warehouse', value: { city: 'Hamburg' }, tags: ['shop'] });
  await made('/artifacts/', {
    key: 'daily-totals',
    type: 'table',
    data: JSON.stringify([{ day: 'Monday', orders: 17 }]),
    flow_run_id: goodRun,
  });
  await made('/automations/', {
    name: 'page somebody',
    enabled: false,
    trigger: {
      type: 'event',
      posture: 'Reactive',
      expect: ['prefect.flow-run.Failed'],
      threshold: 1,
      within: 0,
    },
    actions: [{ type: 'do-nothing' }],
  });
  await made('/events', [
    {
      id: newId(),
      occurred: new Date().toISOString(),
      event: 'shop.order.refunded',
      resource: { 'prefect.resource.id': 'shop.order.77' },
      payload: { amount: 12.5 },
    },
  ]);
  return { failedRun, failedTask, waitingRun, runningRun, goodRun, nightly: nightly.id };
}
