import { get, post } from './call.ts';
import { expect, type FilledServer, test } from './fixtures.ts';
import { look } from './look.ts';

interface Deployment {
  readonly paused: boolean;
  readonly description: string | null;
  readonly tags: string[];
  readonly parameters: Record<string, unknown>;
  readonly global_concurrency_limit: { readonly limit: number } | null;
  readonly schedules: { readonly active: boolean; readonly schedule: Record<string, unknown> }[];
}

let made = 0;

/** A new deployment for each test, with runs that have ended. */
async function deploy({ api }: FilledServer, more: object = {}) {
  made += 1;
  const name = `own-${made}`;
  const flow = await post(api, '/flows/', { name: `flow-of-${name}` });
  const deployment = await post(api, '/deployments/', {
    name,
    flow_id: flow.id,
    work_pool_name: 'seeded-pool',
    parameter_openapi_schema: {
      type: 'object',
      properties: { x: { type: 'integer', title: 'x', default: 1, position: 0 } },
    },
    ...more,
  });
  for (const type of ['COMPLETED', 'FAILED']) {
    const run = await post(api, `/deployments/${deployment.id}/create_flow_run`, { name: `${name}-${type}` });
    for (const state of ['RUNNING', type]) {
      await post(api, `/flow_runs/${run.id}/set_state`, { state: { type: state }, force: true });
    }
  }
  return { id: deployment.id, flow: flow.id, name };
}

test('flows show their last runs and open from the table @postgres @proxy', async ({ page, filled }) => {
  const { name } = await deploy(filled);
  await page.goto(`${filled.url}/flows`);
  await expect(page.getByRole('link', { name: 'seeded-flow' })).toBeVisible();
  await look(page, 'flows');
  await page.goto(`${filled.url}/flows?name=flow-of-${name}`);
  await expect(page.getByRole('img', { name: 'Last 2 runs: 1 Failed, 1 Completed' })).toBeVisible();
  await page.getByRole('link', { name: `flow-of-${name}` }).click();
  await expect(page.getByRole('heading', { name: `flow-of-${name}` })).toBeVisible();
  await expect(page.getByRole('link', { name: `${name}-FAILED` })).toBeVisible();
  await look(page, 'flow');
  await page.getByRole('tab', { name: 'Deployments' }).click();
  await expect(page.getByRole('link', { name, exact: true })).toBeVisible();
  await page.goto(`${filled.url}/flows?name=no-such-flow`);
  await expect(page.getByText('No flow matches these filters')).toBeVisible();
});

test('a flow is deleted after the user types its name', async ({ page, filled }) => {
  const { flow, name } = await deploy(filled);
  await page.goto(`${filled.url}/flows/flow/${flow}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('2 runs');
  await expect(dialog.getByRole('button', { name: 'Delete flow' })).toBeDisabled();
  await dialog.getByRole('textbox').fill(`flow-of-${name}`);
  await dialog.getByRole('button', { name: 'Delete flow' }).click();
  await page.waitForURL(/\/flows$/);
  expect((await fetch(`${filled.api}/flows/${flow}`)).status).toBe(404);
});

test('a deployment explains why its runs do not start, and how to fix it @quick @postgres @proxy', async ({
  page,
  filled,
}) => {
  await post(filled.api, '/work_pools/', { name: 'empty-pool', type: 'process' });
  const { id, name } = await deploy(filled, { work_pool_name: 'empty-pool', version: '7' });
  await page.goto(`${filled.url}/deployments?pool=empty-pool`);
  await expect(page.getByRole('row').nth(1)).toContainText('No worker');
  await page.getByRole('link', { name, exact: true }).click();
  await expect(page.getByText('prefect worker start --pool "empty-pool"')).toBeVisible();
  await expect(page.getByRole('link', { name: `${name}-FAILED` })).toBeVisible();
  await look(page, 'deployment');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await expect(page.getByRole('cell', { name: '7present' })).toBeVisible();
  await page.getByRole('tab', { name: 'Parameters' }).click();
  await expect(page.getByRole('textbox', { name: 'x', exact: true })).toHaveValue('1');
  await look(page, 'deployment-parameters');
  await page.goto(`${filled.url}/deployments/deployment/${id}?tab=details`);
  await expect(page.getByText(id)).toBeVisible();
});

test('deployments are listed with their schedules, and an empty server explains how to create one', async ({
  page,
  filled,
  startEmpty,
}) => {
  await page.goto(`${filled.url}/deployments`);
  await expect(page.getByRole('link', { name: 'seeded-deployment' })).toBeVisible();
  await expect(page.getByText('Berlin', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('at 06:00', { exact: true })).toBeVisible();
  await look(page, 'deployments');
  const server = await startEmpty();
  for (const [path, text] of [
    ['flows', 'No flows yet'],
    ['deployments', 'No deployments yet'],
    ['schedule', 'Nothing is planned'],
    ['work-pools', 'No work pools yet'],
  ]) {
    await page.goto(`${server.url}/${path}`);
    await expect(page.getByText(text as string)).toBeVisible();
    await look(page, `${path}-empty`);
  }
});

test('the list shows what is paused and the schedule that runs, and acts in its rows', async ({ page, filled }) => {
  const { id, name } = await deploy(filled, {
    schedules: [
      { active: true, schedule: { cron: '0 9 * * *', timezone: 'America/Argentina/Buenos_Aires' } },
      { active: false, schedule: { cron: '0 5 * * *', timezone: 'UTC' } },
    ],
  });
  await page.goto(`${filled.url}/deployments?name=${name}`);
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await expect(row).toContainText('at 09:00');
  await expect(row).not.toContainText('at 05:00');
  const zone = row.getByText('Buenos Aires', { exact: true });
  expect(await zone.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  await expect(row.getByText('+1', { exact: true })).toBeVisible();
  await expect(row.getByRole('cell').nth(4)).toContainText(/^in /);
  await row.getByRole('button', { name: `Pause ${name}` }).click();
  await expect(row.getByText('Paused', { exact: true }).first()).toBeVisible();
  await expect(row.getByRole('cell').nth(4)).toBeEmpty();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row.getByRole('button', { name: `Pause ${name}` })).toBeVisible();
  await expect(row.getByRole('cell').nth(4)).toContainText(/^in /);
  await look(page, 'deployments-rows');
  await row.getByRole('button', { name: `Run ${name}` }).click();
  await expect(page).toHaveURL(new RegExp(`/deployments/deployment/${id}/run$`));
});

test('the next run is right at once after one of two schedules is paused', async ({ page, filled }) => {
  const [soon, later] = [1_800_000, 36_000_000].map((wait) => new Date(Date.now() + wait).toISOString());
  const { id } = await deploy(filled, {
    schedules: [
      { active: true, schedule: { interval: 3600, anchor_date: soon } },
      { active: true, schedule: { interval: 86_400, anchor_date: later } },
    ],
  });
  await page.goto(`${filled.url}/deployments/deployment/${id}`);
  const next = page.getByRole('definition').first();
  await expect(next).toHaveText(/in (29|30) min/);
  const hourly = page.getByRole('listitem').filter({ hasText: 'Every 1 h' });
  const answer = page.waitForResponse((response) => response.url().endsWith(`/views/deployments/${id}`));
  await hourly.getByRole('button', { name: 'Pause schedule' }).click();
  const { next_run: read } = (await (await answer).json()) as { next_run: { start: string } };
  expect(new Date(read.start).toISOString()).toBe(later);
  await expect(next).toHaveText(/in (9|10) h/);
});

test('on a phone the newest of the last runs are shown, at the right', async ({ page, filled }) => {
  const { id, name } = await deploy(filled);
  for (let index = 0; index < 48; index++) {
    const run = await post(filled.api, `/deployments/${id}/create_flow_run`, { name: `${name}-${index}` });
    await post(filled.api, `/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${filled.url}/deployments/deployment/${id}`);
  const bars = page.getByRole('region', { name: 'Last runs' }).getByRole('img');
  const box = (await bars.boundingBox()) ?? { x: 0, width: 0 };
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  expect(box.width).toBeGreaterThan(300);
  await expect(bars.locator('g').first().locator('title')).toContainText(`${name}-47 · Completed`);
  const newest = await bars.locator('g').first().boundingBox();
  expect((newest?.x ?? 0) + (newest?.width ?? 0)).toBeGreaterThan(box.x + box.width - 5);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(bars).toHaveAccessibleName('Last 50 runs: 49 Completed, 1 Failed');
});

test('a description is Markdown, and takes no more than a few lines until all of it is asked for', async ({
  page,
  filled,
}) => {
  const description = `# Sales **per day**\n\n${Array.from({ length: 30 }, (_, line) => `- line ${line}`).join('\n')}`;
  const { id } = await deploy(filled, { description });
  await page.goto(`${filled.url}/deployments/deployment/${id}`);
  await expect(page.getByRole('heading', { name: 'Sales per day' })).toBeVisible();
  await expect(page.getByText('line 29')).not.toBeInViewport();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page.getByText('line 29')).toBeInViewport();
});

test('a deployment is paused, resumed, edited, duplicated and deleted @quick', async ({ page, filled }) => {
  const { id, name } = await deploy(filled);
  const read = (one = id) => get<Deployment>(filled.api, `/deployments/${one}`);
  await page.goto(`${filled.url}/deployments/deployment/${id}`);
  await page.getByRole('button', { name: 'Pause deployment' }).click();
  await expect(page.getByText(`Deployment "${name}" is paused`)).toBeVisible();
  expect((await read()).paused).toBe(true);
  await page.getByRole('button', { name: 'Resume deployment' }).click();
  await expect(page.getByText(`Deployment "${name}" is paused`)).toBeHidden();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('Written by a test');
  await page.getByLabel('Tags').fill('edited,');
  await page.getByLabel('Runs at a time').fill('3');
  await page.getByLabel('x', { exact: true }).fill('5');
  await look(page, 'deployment-edit');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Written by a test')).toBeVisible();
  // The form, which shows the same text, stays until it is saved.
  await expect
    .poll(() => read())
    .toMatchObject({
      description: 'Written by a test',
      tags: ['edited'],
      parameters: { x: 5 },
      global_concurrency_limit: { limit: 3 },
    });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'As commands…' }).click();
  const commands = page.getByRole('dialog', { name: 'As commands' });
  await expect(commands).toContainText(new RegExp(`prefect deployment run \\S+/${name}`));
  await expect(commands).toContainText('/create_flow_run');
  await look(page, 'deployment-commands');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByLabel('Name', { exact: true }).fill(`${name}-twin`);
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name: `${name}-twin` })).toBeVisible();
  const twin = page.url().split('/').at(-1) as string;
  expect(await read(twin)).toMatchObject({ tags: ['edited'], parameters: { x: 5 } });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete deployment' }).click();
  await page.waitForURL(/\/deployments$/);
  expect((await fetch(`${filled.api}/deployments/${twin}`)).status).toBe(404);
});

test('schedules are added in plain words, changed, paused and deleted', async ({ page, filled, allowed }) => {
  // The times of a schedule that is only partly typed.
  allowed.statuses.push(422);
  const { id } = await deploy(filled);
  const schedules = async () => (await get<Deployment>(filled.api, `/deployments/${id}`)).schedules;
  await page.goto(`${filled.url}/deployments/deployment/${id}`);
  await page.getByRole('button', { name: 'New schedule' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Runs at 09:00');
  await dialog.getByLabel('Cron').fill('often');
  await expect(dialog.getByText('cron', { exact: false }).last()).toBeVisible();
  await dialog.getByLabel('Cron').fill('30 6 * * 1-5');
  await dialog.getByLabel('Zone').fill('America/New_York');
  await expect(dialog).toContainText('Runs at 06:30, Monday through Friday');
  await expect(dialog.locator('time')).toHaveCount(5);
  await look(page, 'schedule-dialog');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByText('At 06:30, Monday through Friday')).toBeVisible();
  expect((await schedules())[0]?.schedule).toMatchObject({ cron: '30 6 * * 1-5', timezone: 'America/New_York' });
  await page.getByRole('button', { name: 'Edit this schedule' }).click();
  await dialog.getByLabel('Kind').selectOption('interval');
  await dialog.getByLabel('Every').fill('2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Every 2 h')).toBeVisible();
  const region = page.getByRole('region', { name: 'Schedules' });
  await region.getByRole('button', { name: 'Pause schedule' }).click();
  await expect(region.getByText('paused')).toBeVisible();
  expect((await schedules())[0]).toMatchObject({ active: false, schedule: { interval: 7200 } });
  await region.getByRole('button', { name: 'Delete this schedule' }).click();
  await page.getByRole('button', { name: 'Delete schedule' }).click();
  await expect(page.getByText('It has no schedule')).toBeVisible();
  expect(await schedules()).toEqual([]);
});

test('the schedule page shows a week with its clashes in the chosen time zone @postgres', async ({ page, filled }) => {
  await post(filled.api, '/work_pools/', { name: 'narrow-pool', type: 'process', concurrency_limit: 1 });
  const daily = [{ schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } }];
  const first = await deploy(filled, { work_pool_name: 'narrow-pool', schedules: daily });
  await deploy(filled, { work_pool_name: 'narrow-pool', schedules: daily });
  const dense = await deploy(filled, { schedules: [{ schedule: { interval: 300 } }] });
  await page.goto(`${filled.url}/schedule`);
  await expect(page.getByText('2 are planned').first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Work pool narrow-pool' })).toBeVisible();
  await expect(page.getByRole('row', { name: dense.name })).toContainText(/about 2,01\d runs/);
  await expect(page.getByRole('row', { name: first.name })).toContainText('03:00');
  const touching = await page.getByRole('row', { name: first.name }).evaluate((row) => {
    const boxes = [...row.querySelectorAll('[aria-hidden]')].map((mark) => ({
      isLabel: mark.textContent !== '',
      box: mark.getBoundingClientRect(),
    }));
    const labels = boxes.filter(({ isLabel }) => isLabel);
    const marks = boxes.filter(({ isLabel }) => !isLabel);
    return labels.filter(({ box }) => marks.some((mark) => mark.box.left < box.right && box.left < mark.box.right))
      .length;
  });
  expect(touching, 'times that touch a mark').toBe(0);
  await look(page, 'schedule');
  await page.getByLabel('Zone').selectOption('UTC');
  await expect(page).toHaveURL(/zone=UTC/);
  await expect(page.getByRole('row', { name: first.name })).toContainText(/0[12]:00/);
});
