import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { preparePython } from '../../server/test/prefect/python.ts';
import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

interface Made {
  readonly id: string;
}

const raised = (exception: string) => `Flow run encountered an exception: ${exception}`;
const set = (api: string, kind: 'flow_runs' | 'task_runs', { id }: Made, state: object) =>
  post(api, `/${kind}/${id}/set_state`, { state, force: true });
const retry = { type: 'SCHEDULED', name: 'AwaitingRetry' };

let made = 0;

async function newRun(api: string, flow: string, more: object = {}): Promise<Made> {
  const { id: flow_id } = await post(api, '/flows/', { name: flow });
  made += 1;
  return post(api, '/flow_runs/', { flow_id, name: `${flow}-${made}`, state: { type: 'RUNNING' }, ...more });
}

async function newTask(api: string, { id: flow_run_id }: Made, task: string, state: object = { type: 'RUNNING' }) {
  made += 1;
  const key = `${task}-1f3a9c2e`;
  return post<Made>(api, '/task_runs/', {
    flow_run_id,
    name: `${task}-${made}`,
    task_key: key,
    dynamic_key: String(made),
    state,
  });
}

async function newSubflow(api: string, parent: Made, flow: string) {
  const task = await newTask(api, parent, flow);
  return newRun(api, flow, { parent_task_run_id: task.id });
}

/** Clicks a thing, and counts it. */
function counter() {
  let clicks = 0;
  return {
    click: async (thing: Locator) => {
      clicks += 1;
      await thing.click();
    },
    clicks: () => clicks,
  };
}

const why = (page: Page) => page.getByRole('region', { name: 'Why it failed' });
const attempts = (page: Page) => page.getByRole('group', { name: 'Attempts' });

test('an attempt that failed stays readable after its retry, with its own states, tasks and log', async ({
  page,
  filled: { api, url },
}) => {
  const run = await newRun(api, 'attempted');
  const first = await newTask(api, run, 'first');
  await set(api, 'task_runs', first, {
    type: 'FAILED',
    message: "Task run encountered an exception OSError('disk full')",
  });
  const line = { name: 'prefect', level: 40, flow_run_id: run.id };
  const log = (message: string) => post(api, '/logs/', [{ ...line, message, timestamp: new Date().toISOString() }]);
  await log('the disk of the first attempt');
  await set(api, 'flow_runs', run, { type: 'FAILED', message: raised('OSError: disk full') });
  await set(api, 'flow_runs', run, retry);
  await page.goto(`${url}/runs/flow-run/${run.id}`);
  // The last failure stays until the next attempt runs, beside the reason why that waits.
  await expect(why(page)).toContainText('disk full');
  await expect(why(page)).toContainText('Attempt 1 of 2');
  await expect(page.getByRole('region', { name: 'Why it waits' })).toBeVisible();
  await look(page, 'run-attempt-waits');
  await set(api, 'flow_runs', run, { type: 'RUNNING' });
  await expect(why(page)).toBeHidden();
  await newTask(api, run, 'second', { type: 'COMPLETED' });
  await log('the second attempt begins');
  const { click, clicks } = counter();
  await click(attempts(page).getByRole('button', { name: 'Attempt 1' }));
  await expect(why(page)).toContainText('disk full');
  await expect(page).toHaveURL(/attempt=1/);
  await expect(page.getByRole('log')).toContainText('the disk of the first attempt');
  await expect(page.getByRole('log')).not.toContainText('the second attempt begins');
  expect(clicks()).toBe(1);
  await look(page, 'run-attempt-chosen');
  await page.getByRole('tab', { name: 'States' }).click();
  await expect(page.getByText('Waits to retry')).toBeHidden();
  await attempts(page).getByRole('button', { name: 'Attempt 2' }).click();
  await expect(page.getByText('Waits to retry')).toBeVisible();
  await expect(why(page)).toBeHidden();
});

test('Home counts attempts and trees, and a retry does not lessen the count', async ({ page, startEmpty }) => {
  const { url } = await startEmpty();
  const api = `${url}/api`;
  const top = await newRun(api, 'daily-sales');
  const [left, right] = [await newSubflow(api, top, 'left'), await newSubflow(api, top, 'right')];
  await set(api, 'flow_runs', left, { type: 'FAILED', message: raised('TimeoutError: slow') });
  await set(api, 'flow_runs', right, { type: 'FAILED', message: raised("KeyError: 'currency'") });
  await set(api, 'flow_runs', top, { type: 'FAILED', message: raised("KeyError: 'currency'") });
  const crashed = await newRun(api, 'nightly');
  await set(api, 'flow_runs', crashed, { type: 'CRASHED', message: 'Exit code 137.' });
  await page.goto(url);
  await expect(page.getByText('2 runs failed')).toBeVisible();
  await expect(page.getByText('› right')).toBeVisible();
  await look(page, 'home-trees');
  await set(api, 'flow_runs', top, retry);
  await page.reload();
  await expect(page.getByText('2 runs failed')).toBeVisible();
  const { click, clicks } = counter();
  await click(page.getByRole('link', { name: 'All 2' }));
  await expect(page.getByRole('row', { name: /daily-sales/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /nightly/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /left/ })).toBeHidden();
  expect(clicks()).toBe(1);
});

test("a failed run's log includes those of its subflows, and a switch leaves them out", async ({
  page,
  filled: { api, url },
}) => {
  const top = await newRun(api, 'with-logs');
  const child = await newSubflow(api, top, 'inner-flow');
  const below = await newSubflow(api, child, 'deepest-flow');
  const timestamp = new Date().toISOString();
  const line = (run: Made, message: string) => ({
    name: 'prefect',
    level: 20,
    message,
    timestamp,
    flow_run_id: run.id,
  });
  await post(api, '/logs/', [line(top, 'of the top'), line(child, 'of the child'), line(below, 'of the deepest')]);
  for (const run of [below, child, top]) {
    await set(api, 'flow_runs', run, { type: 'FAILED', message: raised("KeyError: 'a'") });
  }
  await page.goto(`${url}/runs/flow-run/${top.id}`);
  const log = page.getByRole('log');
  await expect(log).toContainText('of the top');
  await expect(log).toContainText('of the deepest');
  await expect(log).toContainText('deepest-flow');
  await look(page, 'run-log-subflows');
  await page.getByRole('checkbox', { name: /Include subflows/ }).click();
  await expect(log).not.toContainText('of the deepest');
  await expect(page).toHaveURL(/subflows=no/);
  // The log of a run that has not failed has its own lines only, until it is asked for more.
  await set(api, 'flow_runs', child, { type: 'COMPLETED' });
  await page.goto(`${url}/runs/flow-run/${child.id}`);
  await expect(log).toContainText('of the child');
  await expect(log).not.toContainText('of the deepest');
  await page.getByRole('checkbox', { name: /Include subflows/ }).click();
  await expect(log).toContainText('of the deepest');
});

test('a retry names the tasks that run again and those that do not, before it is sent', async ({
  page,
  filled: { api, url },
}) => {
  const { id: flow_id } = await post(api, '/flows/', { name: 'retried-by-name' });
  const deployment = await post(api, '/deployments/', { name: 'retried-by-name', flow_id });
  const run = await newRun(api, 'retried-by-name', { deployment_id: deployment.id });
  const kept = { storage_key: '/results/a6d7c0f1e2b34c5d6e7f8091a2b3c4d5', expiration: null };
  await newTask(api, run, 'extract', { type: 'COMPLETED', data: kept });
  await newTask(api, run, 'extract', { type: 'COMPLETED', data: kept });
  await newTask(api, run, 'transform', { type: 'COMPLETED' });
  await newTask(api, run, 'load', { type: 'FAILED' });
  await set(api, 'flow_runs', run, { type: 'FAILED', message: raised('OSError: disk full') });
  await page.goto(`${url}/runs/flow-run/${run.id}`);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const again = dialog.getByRole('region', { name: 'Run again' });
  await expect(again).toContainText('load');
  await expect(again).toContainText('transform');
  await expect(again).not.toContainText('extract');
  await expect(dialog.getByRole('region', { name: /Not repeated/ })).toContainText('extract');
  await look(page, 'run-retry-dialog');
  expect(await get<object[]>(api, `/flow_run_states/?flow_run_id=${run.id}`)).toHaveLength(2);
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
  const notices = page.getByRole('region', { name: 'Notifications' });
  await notices.getByRole('button', { name: 'Undo' }).click();
  await expect(notices.getByText('Undone: nothing was changed')).toBeVisible();
});

test('the failure template waits for every failure of top-level runs, and its dry run says what another misses', async ({
  page,
  startEmpty,
}) => {
  const { url } = await startEmpty();
  const api = `${url}/api`;
  for (const name of ['Failed', 'TimedOut', 'TimedOut']) {
    await set(api, 'flow_runs', await newRun(api, 'times-out'), { type: 'FAILED', name });
  }
  const top = await newRun(api, 'parent');
  await set(api, 'flow_runs', await newSubflow(api, top, 'child'), { type: 'FAILED' });
  await set(api, 'flow_runs', top, { type: 'FAILED' });
  await page.goto(`${url}/automations`);
  await page.getByRole('link', { name: 'Notify when a run fails or crashes' }).click();
  await expect(page.getByRole('button', { name: 'Timed out' })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('checkbox', { name: /Top-level runs only/ })).toBeChecked();
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByText('It would have fired 4 times')).toBeVisible();
  await look(page, 'automation-failures');
  await page.getByRole('button', { name: 'Timed out' }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByText('It would have fired 2 times')).toBeVisible();
  await expect(page.getByText('2 more runs failed as TimedOut.')).toBeVisible();
  await look(page, 'automation-missed');
});

test('the deepest cause of a large tree with three attempts is one click from Home', async ({
  page,
  startEmpty,
  filled: { seeded },
}) => {
  test.skip(!seeded.hasFlows, 'no real flows here');
  test.setTimeout(900_000);
  const { url } = await startEmpty();
  const { command } = await preparePython(() => {});
  const home = await mkdtemp(join(tmpdir(), 'signalbox-prefect-'));
  const tasks = 666;
  const flow = spawn(command, [join(import.meta.dirname, 'fill', 'run-tree.py'), String(tasks)], {
    env: {
      ...process.env,
      PREFECT_API_URL: `${url}/api`,
      PREFECT_HOME: home,
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
    },
    stdio: 'ignore',
  });
  try {
    expect(await new Promise((resolve) => flow.once('exit', resolve))).toBe(0);
    await page.goto(url);
    await expect(page.getByText('1 run failed')).toBeVisible();
    const { click, clicks } = counter();
    await click(page.getByRole('link', { name: /KeyError/ }));
    await expect(why(page)).toContainText('check_columns');
    await expect(why(page)).toContainText('{"order_id": rows[0]}["currency"]');
    expect(clicks()).toBe(1);
    await expect(attempts(page).getByRole('button', { name: /^Attempt/ })).toHaveCount(3);
    await page.getByRole('searchbox', { name: 'Lines that contain' }).fill(`checks ${tasks} rows`);
    await expect(page.getByRole('log')).toContainText('validate-orders');
    await look(page, 'run-tree');
    await attempts(page).getByRole('button', { name: 'Attempt 1' }).click();
    await expect(why(page)).toContainText('check_columns');
    const total = await post<number>(`${url}/api`, '/task_runs/count', {});
    expect(total).toBeGreaterThanOrEqual(3 * tasks);
  } finally {
    flow.kill();
    await rm(home, { recursive: true, force: true });
  }
});
