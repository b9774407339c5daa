import type { Page } from '@playwright/test';
import { stateEvent } from '../../server/test/support/events.ts';
import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

interface Made {
  readonly id: string;
}

/** A moment of these seconds ago. */
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

interface Given {
  readonly flow: string;
  readonly parameters?: object;
  /** Seconds of each task, by its key. */
  readonly tasks?: Readonly<Record<string, number>>;
  readonly lines?: readonly string[];
  /** The exception of a run that failed. */
  readonly error?: string;
}

async function endedRun(api: string, { flow, parameters = {}, tasks = {}, lines = [], error }: Given): Promise<string> {
  const { id: flow_id } = await post(api, '/flows/', { name: flow });
  const { id } = await post(api, '/flow_runs/', { flow_id, parameters, state: { type: 'RUNNING' } });
  const events = Object.entries(tasks).flatMap(([taskKey, seconds]) => {
    const taskRunId = crypto.randomUUID();
    const [start_time, end_time] = [ago(seconds), ago(0)];
    const name = taskKey.split('-')[0] as string;
    const shared = { taskRunId, taskKey, flowRunId: id };
    const run = { name, start_time };
    return [
      stateEvent({ ...shared, type: 'RUNNING', occurred: start_time, run }),
      stateEvent({
        ...shared,
        type: 'COMPLETED',
        occurred: end_time,
        run: { ...run, end_time, total_run_time: seconds },
      }),
    ];
  });
  if (events.length > 0) await send(api, '/events', events);
  if (lines.length > 0) {
    await send(
      api,
      '/logs/',
      lines.map((message, index) => ({
        name: 'prefect.flow_runs',
        level: message.startsWith('!') ? 40 : 20,
        message,
        timestamp: new Date(Date.now() + index).toISOString(),
        flow_run_id: id,
      })),
    );
  }
  const state = error
    ? { type: 'FAILED', message: `Flow run encountered an exception: ${error}` }
    : { type: 'COMPLETED' };
  await post(api, `/flow_runs/${id}/set_state`, { state, force: true });
  return id;
}

async function send(api: string, path: string, items: readonly object[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { ok, status } = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(items) });
  if (!ok) throw new Error(`POST ${path} answered ${status}`);
}

async function pairOfRuns(api: string, flow: string): Promise<readonly [string, string]> {
  const query = `select ${'order_id, '.repeat(90)}`;
  const a = await endedRun(api, {
    flow,
    parameters: { columns: ['order_id', 'amount', 'currency'], limit: 10, query: `${query}currency from orders` },
    tasks: { 'extract-00000001': 4, 'load-00000002': 3, 'audit-00000003': 1 },
    lines: [
      ...Array.from({ length: 20 }, (_, index) => `step ${'abcdefghijklmnopqrst'[index]}`),
      'read 100 rows',
      'bye',
    ],
  });
  const b = await endedRun(api, {
    flow,
    parameters: { columns: ['order_id', 'amount'], limit: 20, query: `${query}amount from orders` },
    tasks: { 'extract-00000009': 4, 'load-00000002': 43 },
    lines: [
      ...Array.from({ length: 20 }, (_, index) => `step ${'abcdefghijklmnopqrst'[index]}`),
      'read 5 rows',
      "! KeyError: 'currency'",
    ],
    error: "KeyError: 'currency'",
  });
  return [a, b];
}

const parameterOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Parameters' }).locator('dt', { hasText: name }).locator('+ dd');

test('two runs of the list are compared by a key, and swapped @postgres', async ({ page, filled }) => {
  const [a, b] = await pairOfRuns(filled.api, 'compared');
  await page.goto(`${filled.url}/runs?flow=compared`);
  const boxes = page.getByRole('table', { name: 'Flow runs' }).getByRole('checkbox', { name: /^Select (?!all)/ });
  await boxes.nth(0).check();
  await expect(page.getByRole('button', { name: 'Compare', exact: true })).toBeDisabled();
  await boxes.nth(1).check();
  await page.keyboard.press('=');
  await page.waitForURL((url) => url.searchParams.get('a') === a && url.searchParams.get('b') === b);
  await expect(parameterOf(page, 'columns')).toContainText('− ');
  await expect(parameterOf(page, 'columns')).toContainText('currency');
  await expect(parameterOf(page, 'limit')).toHaveText('10 → 20');
  // Both values are longer than the page shows, and equal until close to their ends.
  await expect(parameterOf(page, 'query')).toContainText('currency → amount from orders');
  const rows = page.getByRole('table', { name: 'Run time of tasks' }).getByRole('row');
  await expect(rows.nth(1)).toContainText(/load.*3\.0 s.*43 s.*\+40 s/);
  await expect(rows.nth(2)).toContainText(/audit.*only in A/);
  await expect(rows.nth(3)).toContainText(/extract.*other code/);
  await expect(page.getByRole('row', { name: /State.*differs.*Completed.*Failed/ })).toBeVisible();
  const lines = page.getByRole('region', { name: 'Compared lines' });
  await expect(lines.locator('mark')).toHaveText(['100', '5']);
  await expect(lines).toContainText("only in B: ! KeyError: 'currency'");
  await expect(lines).toContainText('18 equal lines');
  await look(page, 'compare');
  await lines.getByRole('button', { name: '18 equal lines' }).click();
  await expect(lines).toContainText('step a');
  await expect(page).toHaveURL(/equal=true/);
  await page.getByRole('button', { name: 'Swap' }).click();
  await page.waitForURL((url) => url.searchParams.get('a') === b && url.searchParams.get('b') === a);
  await expect(parameterOf(page, 'columns')).toContainText('+ ');
  await expect(rows.nth(1)).toContainText('−40 s');
});

test('a failed run is compared with the last success in two clicks from Home', async ({ page, startEmpty }) => {
  const { url } = await startEmpty();
  const [a, b] = await pairOfRuns(`${url}/api`, 'nightly');
  await page.goto(url);
  let clicks = 0;
  await page
    .getByRole('link', { name: /KeyError/ })
    .first()
    .click();
  clicks += 1;
  const why = page.getByRole('region', { name: 'Why it failed' });
  await expect(why).toContainText('currency → amount');
  await look(page, 'why-differences');
  await why.getByRole('link', { name: 'Compare', exact: true }).click();
  clicks += 1;
  await page.waitForURL((address) => address.searchParams.get('a') === a && address.searchParams.get('b') === b);
  await expect(page.getByRole('heading', { name: 'Compare runs' })).toBeVisible();
  expect(clicks).toBeLessThanOrEqual(2);
});

test('a run is compared with the one before it, from its menu and by a key', async ({ page, filled }) => {
  const first = await endedRun(filled.api, { flow: 'compared-before' });
  const second = await endedRun(filled.api, { flow: 'compared-before' });
  const isComparison = (url: URL) => url.searchParams.get('a') === first && url.searchParams.get('b') === second;
  await page.goto(`${filled.url}/runs/flow-run/${second}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Compare with the run before it' }).click();
  await page.waitForURL(isComparison);
  await expect(page.getByText('The parameters are the same.')).toBeVisible();
  await expect(page.getByText('Neither run has task runs.')).toBeVisible();
  await expect(page.getByText('Neither run has logged anything.')).toBeVisible();
  await look(page, 'compare-nothing');
  await page.goto(`${filled.url}/runs/flow-run/${second}`);
  await expect(page.getByRole('link', { name: 'Compare', exact: true })).toBeVisible();
  await page.keyboard.press('=');
  await page.waitForURL(isComparison);
  await page.goto(`${filled.url}/runs/flow-run/${first}`);
  await expect(page.getByRole('button', { name: 'More' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Compare', exact: true })).toBeHidden();
});

test('a comparison without two runs says how to choose them, and one with an absent run says so', async ({
  page,
  filled,
  allowed,
}) => {
  await page.goto(`${filled.url}/runs/compare`);
  await expect(page.getByText('Choose two runs')).toBeVisible();
  await look(page, 'compare-empty');
  allowed.statuses = [404];
  const run: Made = { id: await endedRun(filled.api, { flow: 'compared-absent' }) };
  await page.goto(`${filled.url}/runs/compare?a=${run.id}&b=${crypto.randomUUID()}`);
  await expect(page.getByText('Flow run not found')).toBeVisible();
});
