/** The first hour of a workspace: the commands of the page are run by real clients, and the page follows. */
import type { Page } from '@playwright/test';
import { connectAgent } from '../../server/test/support/agent.ts';
import { call, join, settings, setUp } from './accounts.ts';
import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';
import { openTerminal, snippetOf, type Terminal } from './terminal.ts';

const step = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });
const arrived = (page: Page, title: string) =>
  expect(step(page, title).getByRole('img', { name: 'Completed' }).first()).toBeVisible({ timeout: 60_000 });
const open = (page: Page, title: string) => page.getByRole('button', { name: title, expanded: false }).click();

async function withTerminal(work: (terminal: Terminal) => Promise<void>): Promise<void> {
  const terminal = await openTerminal();
  await work(terminal).finally(() => terminal.close());
}

test('an empty workspace is led by its commands to the first run of a worker, without a reload @postgres', async ({
  page,
  startEmpty,
}) => {
  test.setTimeout(600_000);
  const server = await startEmpty();
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await page.goto(server.url);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No flow has run here yet');
  await expect(step(page, 'Connect a Prefect client')).toContainText('Waits for the first call of a client');
  await expect(page.getByText('users create --email')).toBeVisible();
  await look(page, 'first-hour');
  await page.getByLabel('uv').check();
  expect(await snippetOf(page, 'Install Prefect')).toContain('uv pip install prefect==3.9.1');
  await page.getByLabel('pip').check();
  expect(await snippetOf(page, 'Point Prefect at this workspace')).toContain(`PREFECT_API_URL=${server.url}/api\n`);

  await withTerminal(async (terminal) => {
    await terminal.run(page, 'Install Prefect');
    await terminal.run(page, 'Point Prefect at this workspace');
    await arrived(page, 'Connect a Prefect client');
    await expect(step(page, 'Connect a Prefect client')).toContainText('Prefect 3.9.1 called');

    const output = await terminal.run(page, 'Write hello.py and run it');
    expect(output).toContain('Hello, Grace!');
    await arrived(page, 'Run a flow');
    await expect(step(page, 'Run a flow')).toContainText('Completed');

    await terminal.run(page, 'Create the work pool');
    await arrived(page, 'Create a work pool');
    await terminal.run(page, 'Write deploy.py and run it');
    await arrived(page, 'Deploy the flow');
    await expect(step(page, 'Start a worker')).toContainText('No worker polls laptop');

    await open(page, 'Run the deployment');
    await terminal.run(page, 'Run the deployment once');
    await expect(page.getByRole('listitem', { name: 'Why the run waits' })).toContainText('prefect worker start');

    await fetch(`${server.url}/api/work_pools/laptop`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ is_paused: true }),
    });
    await expect(step(page, 'Create a work pool')).toContainText('is paused');
    await open(page, 'Create a work pool');
    await look(page, 'first-hour-paused');
    await terminal.run(page, 'Resume the work pool');
    await expect(step(page, 'Create a work pool')).not.toContainText('is paused');

    await terminal.start(page, 'Start the worker in a terminal of its own');
    // All steps have arrived, so the guide has gone.
    await expect(page.getByRole('region', { name: 'The first flow' })).toHaveCount(0, { timeout: 120_000 });
    await expect(page.getByRole('region', { name: /^Runs/ })).toBeVisible();
  });
  expect(loads).toBe(1);
});

test('with keys, a key is made in the step, and a workspace at a hosted address has its own commands', async ({
  page,
  startEmpty,
}) => {
  test.setTimeout(400_000);
  const server = await startEmpty(settings);
  await setUp(page, server);
  await page.goto(server.url);
  const lines = 'Point Prefect at this workspace';
  expect(await snippetOf(page, lines)).toContain('PREFECT_API_AUTH_STRING=sbx_…');
  await step(page, 'Connect a Prefect client').getByRole('button', { name: 'Create a key' }).click();
  await expect(page.getByText('it is shown only until you leave this page')).toBeVisible();
  const secret = /PREFECT_API_AUTH_STRING=(sbx_\w+)/.exec(await snippetOf(page, lines))?.[1] ?? '';
  expect(secret.length).toBeGreaterThan(20);
  await withTerminal(async (terminal) => {
    await terminal.run(page, lines);
    await arrived(page, 'Connect a Prefect client');
  });
  await page.goto(`${server.url}/first-hour`);
  await open(page, 'Connect a Prefect client');
  expect(await snippetOf(page, lines)).not.toContain(secret);

  const access = (await call(page, 'GET', '/api/v0/me/access')).body as {
    organizations: { id: string; slug: string }[];
  };
  const [organization] = access.organizations;
  const made = await call(page, 'POST', `/api/v0/organizations/${organization?.slug}/workspaces`, {
    name: 'Team',
    handle: 'team',
    defaultRole: 'editor',
  });
  const place = `/account/${organization?.id}/workspace/${(made.body as { id: string }).id}`;
  await page.goto(server.url + place);
  await step(page, 'Connect a Prefect client').getByRole('button', { name: 'Create a key' }).click();
  await expect(page.getByText('it is shown only until you leave this page')).toBeVisible();
  const hosted = await snippetOf(page, lines);
  expect(hosted).toContain(`PREFECT_API_URL=${server.url}/api/accounts/${organization?.id}/workspaces/`);
  expect(hosted).toMatch(/PREFECT_API_KEY=sbx_\w+/);
  await withTerminal(async (terminal) => {
    await terminal.run(page, lines);
    await arrived(page, 'Connect a Prefect client');
  });
});

test('the first MCP server: what is missing is said, and a client calls a tool with the address and key of the page', async ({
  page,
  browser,
  startEmpty,
}) => {
  test.setTimeout(240_000);
  const server = await startEmpty({ ...settings, SIGNALBOX_HOSTING: 'off' });
  await setUp(page, server);
  await page.goto(server.url);
  const guide = page.getByRole('region', { name: 'The first MCP server' });
  await expect(guide).toContainText('hosting is off (SIGNALBOX_HOSTING)');
  await expect(guide).toContainText('SIGNALBOX_ALLOWED_PRIVATE_NETWORKS');
  await expect(guide.getByRole('link', { name: 'New hosted server' })).toHaveCount(0);

  const organization = '/api/v0/organizations/default';
  await call(page, 'POST', `${organization}/servers`, {
    ...{ slug: 'docs', name: 'Docs', kind: 'external' },
    external: { url: 'http://127.0.0.1:9/mcp' },
  });
  await expect(guide).toContainText('SIGNALBOX_ALLOWED_PRIVATE_NETWORKS does not list it');
  await call(page, 'DELETE', `${organization}/servers/docs`);
  await expect(guide).toContainText('Waits for the first server');

  await open(page, 'Call a tool');
  await guide.getByRole('button', { name: 'Create a key' }).click();
  await guide.getByText('curl', { exact: true }).click();
  const shown = await snippetOf(page, 'Terminal');
  const [, address = ''] = /curl (\S+)/.exec(shown) ?? [];
  const [, key = ''] = /Bearer (\w+)/.exec(shown) ?? [];
  expect(address).toBe(`${server.url}/servers/default/orchestration-default/mcp`);
  await look(page, 'first-hour-server');
  const client = await connectAgent(address, key);
  await client.call('get_overview');
  await client.close();
  await arrived(page, 'Call a tool');
  await expect(step(page, 'Call a tool')).toContainText('get_overview');

  // The snippets of all clients are one click from each server.
  await page.goto(`${server.url}/servers`);
  await page.getByRole('button', { name: /^Connect a client to Orchestration/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('radio')).toHaveCount(10);
  await dialog.getByText('Cursor', { exact: true }).click();
  await expect(dialog.getByText(address).first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: /^Orchestration/ }).click();
  await page.getByRole('button', { name: 'Connect a client' }).click();
  await expect(page.getByRole('dialog').getByRole('radio')).toHaveCount(10);

  // A viewer sees what the workspace waits for, and no command.
  await page.keyboard.press('Escape');
  const viewer = await join(page, browser, server, 'Max Viewer', 'max@example.com');
  await page.goto(`${server.url}/workspaces`);
  await page.getByRole('link', { name: 'default', exact: true }).click();
  await page.getByLabel(/Role of Max Viewer/).selectOption('viewer');
  await expect(page.getByRole('row', { name: /Max Viewer/ })).toContainText('Grant');
  await viewer.goto(server.url);
  await expect(viewer.getByText('You see what this workspace waits for')).toBeVisible();
  await expect(step(viewer, 'Run a flow')).toContainText('Waits for the first flow');
  await expect(viewer.getByRole('region', { name: 'Install Prefect' })).toHaveCount(0);
  for (const name of ['Load the sample', 'Dismiss']) {
    await expect(viewer.getByRole('button', { name })).toHaveCount(0);
  }
  await viewer.context().close();
});

test('the sample is loaded and removed with one click each, and stays while a run depends on it @postgres', async ({
  page,
  startEmpty,
  allowed,
}) => {
  allowed.statuses.push(409);
  const server = await startEmpty();
  const api = `${server.url}/api`;
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Load the sample' }).click();
  await expect(page.getByText('The sample is loaded: 3 flows')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Failed' })).toContainText('KeyError');
  await expect(step(page, 'Run a flow')).toContainText('Waits for the first flow');
  await look(page, 'first-hour-sample');

  const deployments = await post<{ id: string; name: string }[]>(api, '/deployments/filter', {});
  const nightly = deployments.find(({ name }) => name === 'nightly')?.id;
  const run = await post<{ id: string }>(api, `/deployments/${nightly}/create_flow_run`, { name: 'my-own' });
  await page.getByRole('button', { name: 'Remove the sample' }).click();
  await expect(page.getByRole('alert')).toContainText('the run of its flows or its pool "my-own"');
  await fetch(`${api}/flow_runs/${run.id}`, { method: 'DELETE' });
  await page.getByRole('button', { name: 'Remove the sample' }).click();
  await expect(page.getByRole('button', { name: 'Load the sample' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No flow has run here yet');
  expect(await post(api, '/flow_runs/filter', {})).toEqual([]);
});

test('the steps are dismissed for the workspace, and the palette finds them again', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('region', { name: 'The first flow' })).toHaveCount(0);
  await look(page, 'first-hour-dismissed');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('first steps');
  await page.getByRole('option', { name: /First steps/ }).click();
  await expect(page.getByRole('region', { name: 'The first flow' })).toBeVisible();
  await page.getByRole('button', { name: 'Show on Home' }).click();
  await page.goto(server.url);
  await expect(page.getByRole('region', { name: 'The first flow' })).toBeVisible();
});
