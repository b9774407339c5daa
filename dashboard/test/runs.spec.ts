import { get, post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

test('an empty server explains how to run a first flow', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(server.url);
  await expect(page.getByText('No flow has run here yet')).toBeVisible();
  await look(page, 'home-empty');
  await page.goto(`${server.url}/runs`);
  await expect(page.getByText('No runs in this time')).toBeVisible();
  await look(page, 'runs-empty');
});

test('the home page shows failed runs with their reason, waiting runs and upcoming runs @quick @postgres @proxy', async ({
  page,
  filled,
}) => {
  const headers = { 'content-type': 'application/json' };
  const message = 'Flow run encountered an exception: ZeroDivisionError: division by zero';
  const body = { name: 'lately-failed', flow_id: filled.seeded.flow, state: { type: 'FAILED', message } };
  await fetch(`${filled.api}/flow_runs/`, { method: 'POST', headers, body: JSON.stringify(body) });
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('failed');
  await expect(page.getByRole('region', { name: 'Failed' }).getByText('ZeroDivisionError').first()).toBeVisible();
  await look(page, 'home');
});

test('runs are filtered by the address and open from the table @quick @postgres @proxy', async ({ page, filled }) => {
  await page.goto(`${filled.url}/runs`);
  await expect(page.getByRole('row').nth(1).getByRole('link').first()).toBeVisible();
  await look(page, 'runs');
  await page.goto(`${filled.url}/runs?state=CRASHED&tag=nobody`);
  await expect(page.getByText('No run matches these filters')).toBeVisible();
  // Other tests make many late runs of this flow.
  await page.goto(`${filled.url}/runs?flow=seeded-flow&state=COMPLETED`);
  await page.getByRole('link', { name: 'seeded-run' }).click();
  await expect(page.getByRole('heading', { name: 'seeded-run' })).toBeVisible();
  await look(page, 'flow-run');
});

test('a failed run opens on the reason of its failure', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  await page.goto(`${filled.url}/runs?flow=daily-report&state=FAILED`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByText('ZeroDivisionError').first()).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'Why it failed' }).getByText('return sum(rows) / by', { exact: true }),
  ).toBeVisible();
  await look(page, 'flow-run-failed');
});

test('a run that does not exist is reported as missing, not as an error', async ({ page, filled, allowed }) => {
  allowed.statuses.push(404);
  await page.goto(`${filled.url}/runs/flow-run/3fa85f64-5717-4562-b3fc-2c963f66afa6`);
  await expect(page.getByText('It was deleted or never existed')).toBeVisible();
  await look(page, 'flow-run-missing');
});

test('an unknown address is reported', async ({ page, filled, allowed }) => {
  allowed.statuses.push(404);
  await page.goto(`${filled.url}/nowhere`);
  await expect(page.getByText('Page not found')).toBeVisible();
});

/** The newest task run whose name contains the text. */
async function taskRunNamed(api: string, name: string): Promise<{ readonly id: string; readonly name: string }> {
  const body = { limit: 1, sort: 'END_TIME_DESC', task_runs: { name: { like_: name } } };
  const [found] = await post<{ id: string; name: string }[]>(api, '/task_runs/filter', body);
  if (!found) throw new Error(`No task run is called ${name}.`);
  return found;
}

test('a task run shows why it failed, with its attempts, inputs and logs @quick', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  const failed = await taskRunNamed(filled.api, 'divide');
  await page.goto(`${filled.url}/runs/task-run/${failed.id}`);
  await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('ZeroDivisionError');
  await expect(page.getByRole('log')).toContainText('Traceback');
  await page
    .getByRole('button', { name: /frames? of libraries/ })
    .first()
    .click();
  await expect(page.getByRole('log')).toContainText('task_engine');
  await look(page, 'task-run-failed');
  await page.getByRole('searchbox', { name: 'Lines that contain' }).fill('Finished');
  await expect(page).toHaveURL(/q=Finished/);
  await expect(page.getByRole('log')).not.toContainText('Traceback');

  const unsteady = await taskRunNamed(filled.api, 'unsteady');
  await page.goto(`${filled.url}/task-runs/task-run/${unsteady.id}`);
  await expect(page).toHaveURL(`${filled.url}/runs/task-run/${unsteady.id}`);
  await expect(page.getByText('try 2')).toBeVisible();
  await look(page, 'task-run-tried-again');
});

test('lines that a slow process sends late stand once, where they belong', async ({ page, filled }) => {
  const flow = await post(filled.api, '/flows/', { name: 'late-lines' });
  const run = await post(filled.api, '/flow_runs/', { flow_id: flow.id, state: { type: 'RUNNING' } });
  const began = Date.now();
  const send = (numbers: readonly number[]) => {
    const lines = numbers.map((number) => ({
      name: 'prefect.flow_runs',
      level: 20,
      message: `line ${number}.`,
      timestamp: new Date(began + number).toISOString(),
      flow_run_id: run.id,
    }));
    return post(filled.api, '/logs/', lines);
  };
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  await send(numbers.filter((number) => number % 3 > 0));
  await page.goto(`${filled.url}/runs/flow-run/${run.id}`);
  const section = page.getByRole('region', { name: 'Log lines' });
  await expect(section).toContainText('200 lines');
  await send(numbers.filter((number) => number % 3 === 0));
  await expect(section).toContainText('300 lines');
  const search = page.getByRole('searchbox', { name: 'Lines that contain' });
  for (const number of [3, 151, 299]) {
    await search.fill(`line ${number}.`);
    await expect(section).toContainText('1 line');
    await expect(page.getByRole('log')).toContainText(`line ${number}.`);
  }
});

test('the state of a task run is changed by hand, and the task run is deleted', async ({ page, filled, allowed }) => {
  const flow = await post(filled.api, '/flows/', { name: 'changed-by-hand' });
  const run = await post(filled.api, '/flow_runs/', { flow_id: flow.id, name: 'by-hand', state: { type: 'RUNNING' } });
  const task = await post(filled.api, '/task_runs/', {
    flow_run_id: run.id,
    name: 'by-hand-0',
    task_key: 'by-hand',
    dynamic_key: '0',
    state: { type: 'RUNNING' },
  });
  await page.goto(`${filled.url}/runs/task-run/${task.id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'As commands…' }).click();
  const commands = page.getByRole('dialog', { name: 'As commands' });
  await expect(commands).toContainText(`prefect task-run logs ${task.id}`);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change the state…' }).click();
  await page.getByText('Failed', { exact: true }).click();
  await page.getByLabel('Message').fill('The disk was full');
  await look(page, 'change-state');
  await page.getByRole('button', { name: 'Set Failed' }).click();
  await expect(page.getByText('The disk was full').first()).toBeVisible();
  const changed = await get<{ state: { message: string } }>(filled.api, `/task_runs/${task.id}`);
  expect(changed.state.message).toBe('The disk was full');

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  allowed.statuses.push(404);
  await page.getByRole('button', { name: 'Delete the task run' }).click();
  await expect(page).toHaveURL(`${filled.url}/runs/flow-run/${run.id}`);
  expect((await fetch(`${filled.api}/task_runs/${task.id}`)).status).toBe(404);
});

async function makeRuns(api: string, flow: string, count: number): Promise<readonly { id: string; name: string }[]> {
  const { id } = await post(api, '/flows/', { name: flow });
  const names = Array.from({ length: count }, (_, index) => `${flow}-${index}`);
  const make = (name: string) =>
    post<{ id: string; name: string }>(api, '/flow_runs/', { flow_id: id, name, state: { type: 'RUNNING' } });
  return Promise.all(names.map(make));
}

const countOf = (api: string, flow: string) =>
  post<number>(api, '/flow_runs/count', { flows: { name: { any_: [flow] } } });

test('all runs that match the filters are deleted, after the dialog shows their number', async ({ page, filled }) => {
  await makeRuns(filled.api, 'many', 120);
  await page.goto(`${filled.url}/runs?flow=many`);
  await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
  await page.getByRole('button', { name: 'Select all 120 that match' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await expect(page.getByRole('heading', { name: 'Delete 120 runs?' })).toBeVisible();
  await look(page, 'runs-delete-all');
  await page.getByRole('button', { name: 'Delete 120' }).click();
  await expect(page.getByText('Deletion of 120 runs scheduled')).toBeVisible();
  await expect(page.getByText('No run matches these filters')).toBeVisible();
  expect(await countOf(filled.api, 'many')).toBe(0);
});

test('runs are found by part of a name and by any id, and the address holds the sort order', async ({
  page,
  filled,
}) => {
  const runs = await makeRuns(filled.api, 'findable', 3);
  await page.goto(`${filled.url}/runs?flow=findable`);
  await expect(page.getByRole('row')).toHaveCount(4);
  const heading = page.getByRole('columnheader', { name: 'Run', exact: true });
  await heading.getByRole('button').click();
  await expect(page).toHaveURL(/sort=name/);
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  await heading.getByRole('button').click();
  await expect(page.getByRole('row').getByRole('link', { name: /^findable-\d/ })).toHaveText([
    'findable-2',
    'findable-1',
    'findable-0',
  ]);
  const search = page.getByRole('combobox', { name: 'Filter runs' });
  await search.fill('findable-1');
  await search.press('Enter');
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.goto(`${filled.url}/runs?span=1h`);
  await search.fill(runs[2]?.id as string);
  await search.press('Enter');
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'findable-2' })).toBeVisible();
  await search.fill('findable');
  await search.press('Enter');
  await page.getByRole('button', { name: 'Runs of the flow findable' }).click();
  await expect(page).toHaveURL(/flow=findable/);
  await expect(page).not.toHaveURL(/name=/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: /^Filters · \d/ }).click();
  await search.fill('state:failed');
  await search.press('Enter');
  await expect(page).toHaveURL(/state=failed/);
  await page.getByRole('button', { name: 'Remove all' }).click();
  await expect(page).not.toHaveURL(/flow=/);
});

test('filters are saved as a view, opened and deleted', async ({ page, filled }) => {
  await page.goto(`${filled.url}/runs?state=FAILED&span=7d`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Save this view as').fill('Failures of the week');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Failures of the week' })).toBeVisible();
  await look(page, 'runs-views');
  await page.goto(`${filled.url}/runs`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('link', { name: 'Failures of the week' }).click();
  await expect(page).toHaveURL(/state=FAILED/);
  await expect(page).toHaveURL(/span=7d/);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Delete the view Failures of the week' }).click();
  await expect(page.getByRole('link', { name: 'Failures of the week' })).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('link', { name: 'Failures of the week' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Failures of the week' })).toHaveAttribute('href', /state=FAILED/);
  await page.getByRole('button', { name: 'Delete the view Failures of the week' }).click();
  await expect(page.getByText('Deleted Failures of the week.')).toBeVisible();
});

test('the task runs of all flow runs have their own list', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  await page.goto(`${filled.url}/runs`);
  await page.getByRole('link', { name: 'Task runs' }).click();
  await expect(page).toHaveURL(/tab=task-runs/);
  await expect(page.getByRole('link', { name: /^extract/ }).first()).toBeVisible();
  await look(page, 'task-runs');
  await page.getByRole('combobox', { name: 'Filter task runs' }).fill('unsteady');
  await page.keyboard.press('Enter');
  await page
    .getByRole('link', { name: /^unsteady/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: /^unsteady/ })).toBeVisible();
});
