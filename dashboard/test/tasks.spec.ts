/** What people do every day, from the first page on, with the most clicks that each may take. Typed keys do not count. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { get, post } from './call.ts';
import { countClicks } from './clicks.ts';
import { type FilledServers, fillServers } from './fill/servers.ts';
import { expect, type FilledServer, test } from './fixtures.ts';
import { type RunningServer, startServer } from './running-server.ts';

const place = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const notices = (page: Page) => page.getByRole('region', { name: 'Notifications' });

/** Opens the first page; the result says how often the pointer was pressed since. */
async function home(page: Page, url: string): Promise<() => number> {
  const clicks = await countClicks(page);
  await page.goto(url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  return clicks;
}

interface Deployed {
  readonly id: string;
  readonly flow_id: string;
  readonly name: string;
}

/** A deployment of a flow with the same name. */
async function deploy({ api }: FilledServer, name: string, more: object = {}): Promise<Deployed> {
  const { id: flow_id } = await post(api, '/flows/', { name });
  const { id } = await post(api, '/deployments/', { name, flow_id, work_pool_name: 'seeded-pool', ...more });
  return { id, flow_id, name };
}

async function failedRun({ api }: FilledServer, { id, flow_id }: Deployed, more: object = {}): Promise<string> {
  const message = 'Flow run encountered an exception: LookupError: the column currency is gone';
  const run = { flow_id, deployment_id: id, state: { type: 'FAILED', message }, ...more };
  return (await post(api, '/flow_runs/', run)).id;
}

const stateOf = async (api: string, id: string) =>
  (await get<{ readonly state_name: string }>(api, `/flow_runs/${id}`)).state_name;

test('why a run failed: 1 click', async ({ page, filled }) => {
  await failedRun(filled, await deploy(filled, 'task-why'), { name: 'task-why-run' });
  const clicks = await home(page, filled.url);
  await page
    .getByRole('link', { name: /LookupError: the column currency/ })
    .first()
    .click();
  const why = page.getByRole('region', { name: 'Why it failed' });
  await expect(why).toContainText('the column currency is gone');
  expect(clicks()).toBeLessThanOrEqual(1);
});

test('a failed run again with other parameters: 2 clicks on its page', async ({ page, filled }) => {
  const properties = { day: { title: 'day', type: 'string' } };
  const parameter_openapi_schema = { type: 'object', title: 'Parameters', properties };
  const deployed = await deploy(filled, 'task-again', { parameter_openapi_schema });
  const id = await failedRun(filled, deployed, { parameters: { day: 'monday' } });
  const clicks = await home(page, `${filled.url}/runs/flow-run/${id}`);
  await page.getByRole('link', { name: 'Run again…' }).click();
  await expect(page.getByLabel('day', { exact: true })).toHaveValue('monday');
  await page.getByLabel('day', { exact: true }).fill('tuesday');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/flow-run/') && !url.pathname.endsWith(id));
  const again = page.url().split('/').at(-1) ?? '';
  expect((await get<{ parameters: object }>(filled.api, `/flow_runs/${again}`)).parameters).toEqual({ day: 'tuesday' });
  expect(clicks()).toBeLessThanOrEqual(2);
});

test('what is late and why, with the command that helps: no click', async ({ page, filled }) => {
  await post(filled.api, '/work_pools/', { name: 'task-gpu', type: 'process' });
  const { id } = await deploy(filled, 'task-late', { work_pool_name: 'task-gpu' });
  const scheduled_time = new Date(Date.now() - 86_400_000).toISOString();
  const { id: run } = await post(filled.api, `/deployments/${id}/create_flow_run`, {
    state: { type: 'SCHEDULED', state_details: { scheduled_time } },
  });
  const state = { type: 'SCHEDULED', name: 'Late', state_details: { scheduled_time } };
  await post(filled.api, `/flow_runs/${run}/set_state`, { state, force: true });
  const clicks = await home(page, filled.url);
  await expect(page.getByText('prefect worker start --pool "task-gpu"')).toBeVisible();
  await expect(page.getByRole('main')).toContainText(/task-gpu.* has no online worker/);
  expect(clicks()).toBe(0);
});

test('a schedule is paused: 3 clicks', async ({ page, filled }) => {
  const schedules = [{ active: true, schedule: { cron: '0 9 * * *', timezone: 'UTC' } }];
  const { id } = await deploy(filled, 'task-pause', { schedules });
  const clicks = await home(page, filled.url);
  await place(page, 'Deployments').click();
  await page.getByRole('link', { name: 'task-pause', exact: true }).first().click();
  await page.getByRole('button', { name: 'Pause schedule' }).click();
  await expect(notices(page).getByText(/^Schedule .* paused$/)).toBeVisible();
  const read = await get<{ schedules: { active: boolean }[] }>(filled.api, `/deployments/${id}`);
  expect(read.schedules[0]?.active).toBe(false);
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('a schedule is created: 3 clicks', async ({ page, filled }) => {
  const { id } = await deploy(filled, 'task-schedule');
  const clicks = await home(page, filled.url);
  await place(page, 'Deployments').click();
  await page.getByRole('link', { name: 'task-schedule', exact: true }).first().click();
  await page.getByRole('button', { name: 'New schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Cron').fill('30 6 * * 1-5');
  await expect(dialog).toContainText('Runs at 06:30, Monday through Friday');
  await expect(dialog.locator('time')).toHaveCount(5);
  await dialog.getByLabel('Cron').press('Enter');
  await expect(page.getByText('At 06:30, Monday through Friday')).toBeVisible();
  const read = await get<{ schedules: unknown[] }>(filled.api, `/deployments/${id}`);
  expect(read.schedules).toHaveLength(1);
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('an automation is made from a template, after a dry run: 3 clicks', async ({ page, filled }) => {
  const clicks = await home(page, filled.url);
  await place(page, 'Automations').click();
  await page.getByRole('link', { name: 'New automation' }).click();
  await page.getByLabel('Name', { exact: true }).fill('task-automation');
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'It would have fired' })).toBeVisible();
  await page.getByLabel('Name', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { name: 'task-automation' })).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('a running run is followed: 2 clicks', async ({ page, filled }) => {
  const { id, flow_id } = await deploy(filled, 'task-follow');
  const run = { name: 'task-follow-run', flow_id, deployment_id: id, state: { type: 'RUNNING' } };
  const { id: flow_run_id } = await post(filled.api, '/flow_runs/', run);
  const clicks = await home(page, filled.url);
  await place(page, 'Runs').click();
  await page.getByRole('link', { name: 'task-follow-run' }).click();
  await expect(page.getByRole('heading', { name: 'task-follow-run' })).toBeVisible();
  const line = { name: 'prefect', level: 20, message: 'half of it is done', flow_run_id };
  const logged = await fetch(`${filled.api}/logs/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ ...line, timestamp: new Date().toISOString() }]),
  });
  expect(logged.ok).toBe(true);
  await expect(page.getByText('half of it is done')).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(2);
});

test('runs are cancelled together: 4 clicks', async ({ page, filled }) => {
  const { id, flow_id } = await deploy(filled, 'task-bulk');
  const run = { flow_id, deployment_id: id, state: { type: 'RUNNING' } };
  const runs = [await post(filled.api, '/flow_runs/', run), await post(filled.api, '/flow_runs/', run)];
  const clicks = await home(page, filled.url);
  await place(page, 'Runs').click();
  await expect(page.getByRole('combobox', { name: 'Filter runs' })).toBeVisible();
  await page.keyboard.press('f');
  await page.keyboard.type('flow:task-bulk');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Cancel 2' }).click();
  for (const one of runs) await expect.poll(() => stateOf(filled.api, one.id)).toBe('Cancelling');
  expect(clicks()).toBeLessThanOrEqual(4);
});

test('a run by its id: no click', async ({ page, filled }) => {
  const clicks = await home(page, filled.url);
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText(filled.seeded.run);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/runs/flow-run/${filled.seeded.run}`));
  await expect(page.getByRole('heading', { name: 'seeded-run' })).toBeVisible();
  expect(clicks()).toBe(0);
});

test('a failed run is found and retried with keys alone', async ({ page, filled }) => {
  const id = await failedRun(filled, await deploy(filled, 'task-keys'), { name: 'task-keys-run' });
  const clicks = await home(page, filled.url);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page.getByRole('combobox', { name: 'Filter runs' })).toBeVisible();
  await page.keyboard.press('f');
  await page.keyboard.type('flow:task-keys state:failed');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(page.getByText('1 run selected')).toBeVisible();
  await page.keyboard.press('r');
  await expect(page.getByRole('dialog', { name: 'Retry 1 run?' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Keep' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Retry 1', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => stateOf(filled.api, id)).toBe('AwaitingRetry');
  expect(clicks()).toBe(0);
});

test('a link shows others the same rows in the same time: no click', async ({ page, filled, browser }) => {
  const deployed = await deploy(filled, 'task-share');
  await failedRun(filled, deployed, { name: 'task-share-run' });
  await failedRun(filled, deployed, { name: 'other', state: { type: 'RUNNING' } });
  const clicks = await home(page, filled.url);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page.getByRole('combobox', { name: 'Filter runs' })).toBeVisible();
  await page.keyboard.press('f');
  await page.keyboard.type(`flow:task-share state:failed since:${new Date(Date.now() - 3_600_000).toISOString()}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row')).toHaveCount(2);
  const reader = await browser.newPage();
  await reader.goto(page.url());
  await expect(reader.getByRole('link', { name: 'task-share-run' })).toBeVisible();
  await expect(reader.getByRole('row')).toHaveCount(2);
  await reader.close();
  expect(clicks()).toBe(0);
});

test('a cancelled run is undone: 1 click after the act', async ({ page, filled }) => {
  const { id, flow_id } = await deploy(filled, 'task-undo');
  const run = await post(filled.api, '/flow_runs/', { flow_id, deployment_id: id, state: { type: 'RUNNING' } });
  const clicks = await home(page, `${filled.url}/runs/flow-run/${run.id}`);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await notices(page).getByRole('button', { name: 'Undo' }).click();
  await expect(notices(page).getByText('Undone: nothing was changed')).toBeVisible();
  expect(await stateOf(filled.api, run.id)).toBe('Running');
  await expect(page.getByRole('button', { name: 'Cancel', exact: true })).toBeEnabled();
  expect(clicks()).toBeLessThanOrEqual(3);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('why a run failed, and a retry: 2 taps after the list, and one to confirm', async ({ page, filled }) => {
    const id = await failedRun(filled, await deploy(filled, 'task-phone'), { name: 'task-phone-run' });
    const clicks = await home(page, `${filled.url}/runs?flow=task-phone`);
    await page.getByRole('link', { name: 'task-phone-run' }).tap();
    await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('the column currency is gone');
    await page.getByRole('button', { name: 'Retry', exact: true }).tap();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).tap();
    await expect(notices(page).getByText('Retry scheduled')).toBeVisible();
    await expect.poll(() => stateOf(filled.api, id)).toBe('AwaitingRetry');
    expect(clicks()).toBeLessThanOrEqual(3);
  });
});

test.describe('people and MCP servers', () => {
  let server: RunningServer;
  let servers: FilledServers;
  let folder: string;

  test.beforeAll(async () => {
    test.setTimeout(240_000);
    folder = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
    server = await startServer(folder, { SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true' });
    servers = await fillServers(server);
  });
  test.afterAll(async () => {
    await servers?.upstream.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  test.beforeEach(({ page }) => servers.signIn(page, servers.grace));

  test('a key is rolled: 5 clicks', async ({ page }) => {
    const clicks = await home(page, server.url);
    await page.getByRole('button', { name: 'grace@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Roll the key for test' }).click();
    await page.getByRole('button', { name: 'Roll key' }).click();
    await expect(page.getByRole('region', { name: 'Key', exact: true })).toHaveText(/^sbx_\w+$/);
    await expect(page.getByText(/The old key works until/)).toBeVisible();
    expect(clicks()).toBeLessThanOrEqual(5);
  });

  test('a person is invited: 3 clicks', async ({ page }) => {
    const clicks = await home(page, server.url);
    await place(page, 'People').click();
    await page.getByRole('button', { name: 'Invite' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('max@example.com');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await expect(dialog.getByLabel('Link', { exact: true })).toContainText('http');
    expect(clicks()).toBeLessThanOrEqual(3);
  });

  test('an MCP server is added after a test: 3 clicks and 2 fields', async ({ page }) => {
    const clicks = await home(page, server.url);
    await place(page, 'MCP servers').click();
    await page.getByRole('link', { name: 'New server' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Task library');
    await page.getByLabel('URL', { exact: true }).fill(servers.upstream.url);
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await expect(page.getByText('documents 2.1.0')).toBeVisible();
    await page.getByLabel('URL', { exact: true }).press('Enter');
    await expect(page).toHaveURL(/\/servers\/task-library$/);
    expect(clicks()).toBeLessThanOrEqual(3);
  });

  test('who called what: 1 click', async ({ page }) => {
    const clicks = await home(page, server.url);
    await place(page, 'Requests').click();
    await expect(page.getByRole('region', { name: 'By caller' })).toContainText('bob@example.com');
    await expect(page.getByRole('region', { name: 'By capability' })).toContainText('search_documents');
    expect(clicks()).toBeLessThanOrEqual(1);
  });

  test('a tool is denied, with the effect before it is saved: 4 clicks, and 2 to save', async ({ page }) => {
    const clicks = await home(page, server.url);
    await place(page, 'MCP servers').click();
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('tab', { name: 'Policy' }).click();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Name or pattern of rule 4').fill('add_numbers');
    await page.getByLabel('Kind of rule 4').selectOption('tool');
    await page.getByLabel('Effect of rule 4').selectOption('deny');
    await expect(page.getByRole('row').filter({ hasText: 'add_numbers' })).toContainText(/Denied\s*rule 4/);
    expect(clicks()).toBeLessThanOrEqual(4);
    await page.getByRole('button', { name: 'Save policy' }).click();
    await expect(page.getByRole('dialog')).toContainText('bob@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Save policy' }).click();
    await expect(notices(page).getByText('Policy saved')).toBeVisible();
    expect(await servers.call('documents', 'add_numbers', servers.bob.key, { left: 1, right: 2 })).toBe(403);
    expect(clicks()).toBeLessThanOrEqual(6);
  });
});
