/** The inbox: causes of failures, what waits for a person, and the cures. Each walk counts its clicks from Home. */
import type { Page } from '@playwright/test';
import { call, join, settings, setUp } from './accounts.ts';
import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

interface Made {
  readonly id: string;
}

const raised = (exception: string) => `Flow run encountered an exception: ${exception}`;

async function fail(api: string, flow: string, message: string): Promise<Made> {
  const { id: flow_id } = await post(api, '/flows/', { name: flow });
  return post(api, '/flow_runs/', { flow_id, name: `${flow}-run`, state: { type: 'FAILED', message } });
}

/** Clicks, and counts them. */
function clicking(page: Page) {
  let clicks = 0;
  return {
    link: async (name: string | RegExp) => {
      clicks += 1;
      await page.getByRole('main').getByRole('link', { name }).first().click();
    },
    button: async (name: string | RegExp) => {
      clicks += 1;
      await page.getByRole('button', { name }).first().click();
    },
    item: async (name: string | RegExp) => {
      clicks += 1;
      await page.getByRole('menuitem', { name }).click();
    },
    clicks: () => clicks,
  };
}

const failedRow = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Failed' }).getByRole('listitem').filter({ hasText: text });

test('a cause is one click away, with the runs behind it, and its newest run explains it', async ({
  page,
  startEmpty,
}) => {
  const { url } = await startEmpty();
  const api = `${url}/api`;
  for (const row of [1, 2, 3]) await fail(api, 'load-orders', raised(`KeyError: 'row ${row}'`));
  await fail(api, 'send-mail', 'The mailbox is full');
  await page.goto(url);
  await expect(failedRow(page, 'KeyError')).toContainText('New');
  await expect(failedRow(page, 'KeyError')).toContainText('3 times');
  await look(page, 'inbox-home');
  const { link, clicks } = clicking(page);
  await link(/^3 times$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('KeyError: …');
  await expect(page.getByRole('region', { name: 'Runs' }).getByRole('link', { name: 'load-orders-run' })).toHaveCount(
    3,
  );
  expect(clicks()).toBe(1);
  await look(page, 'inbox-cause');
  await link('All runs');
  await expect(page.getByRole('row').filter({ hasText: 'load-orders-run' })).toHaveCount(3);
  expect(clicks(), 'all runs behind a cause').toBe(2);
  await page.goto(url);
  await link(/KeyError/);
  await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('KeyError');
  expect(clicks(), 'the newest run, one click from Home').toBe(3);
});

test('a cause is resolved, comes back, and is muted until it fails more often @postgres', async ({
  page,
  startEmpty,
}) => {
  const { url } = await startEmpty();
  const api = `${url}/api`;
  await fail(api, 'sync', 'Rate limit');
  await page.goto(url);
  const { link, button, item, clicks } = clicking(page);
  await link(/^once$/);
  await button('Resolve');
  await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible();
  expect(clicks()).toBe(2);
  await page.goto(url);
  await expect(page.getByRole('region', { name: 'Failed' })).toHaveCount(0);
  await fail(api, 'sync', 'Rate limit');
  await expect(failedRow(page, 'Rate limit')).toContainText('Came back');
  await link(/^2 times$/);
  await button(/^Mute/);
  await item('10 times more');
  await expect(page.getByText('12 failures')).toBeVisible();
  expect(clicks(), 'muted in three clicks from Home').toBe(5);
  await page.goto(`${url}/inbox`);
  await expect(page.getByText('Nothing has failed that is neither muted nor resolved')).toBeVisible();
  await look(page, 'inbox-empty');
  await page.getByRole('tab', { name: 'Muted' }).click();
  await expect(page.getByRole('main')).toContainText('Rate limit');
  await look(page, 'inbox-muted');
});

test('a cause becomes an automation that fires when it comes again', async ({ page, startEmpty }) => {
  const { url } = await startEmpty();
  await fail(`${url}/api`, 'sync', 'Rate limit');
  await page.goto(url);
  const { link, clicks } = clicking(page);
  await link(/^once$/);
  await link('New automation');
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Notify of sync: Rate limit');
  await expect(page.getByText('prefect.failure-cause.regressed').first()).toBeVisible();
  expect(clicks()).toBe(2);
});

test('runs that wait for a person stand first, and are resumed there', async ({ page, startEmpty }) => {
  const { url } = await startEmpty();
  const api = `${url}/api`;
  const { id: flow_id } = await post(api, '/flows/', { name: 'approve-payout' });
  const { id: deployment_id } = await post(api, '/deployments/', { name: 'daily', flow_id });
  const run = { flow_id, deployment_id, name: 'waits-for-a-person', state: { type: 'RUNNING' } };
  const { id } = await post(api, '/flow_runs/', run);
  const state = { type: 'PAUSED', name: 'Suspended', state_details: { pause_reschedule: true } };
  await post(api, `/flow_runs/${id}/set_state`, { state, force: true });
  await fail(api, 'other', 'Broken');
  await page.goto(url);
  const waits = page.getByRole('region', { name: 'Waits for you' });
  await expect(waits).toContainText('waits-for-a-person');
  await expect(page.getByRole('region').first()).toHaveAccessibleName('Waits for you');
  await look(page, 'inbox-waits');
  const { button, clicks } = clicking(page);
  await button('Resume');
  await expect(waits).toHaveCount(0);
  expect(clicks()).toBe(1);
});

test('a paused pool is resumed from Home, and a full one gets a greater limit', async ({ page, startEmpty }) => {
  const { url } = await startEmpty({ SIGNALBOX_LATE_AFTER_SECONDS: '0' });
  const api = `${url}/api`;
  await post(api, '/work_pools/', { name: 'legacy', type: 'process', is_paused: true });
  const { id: flow_id } = await post(api, '/flows/', { name: 'nightly' });
  const { id } = await post(api, '/deployments/', { name: 'all', flow_id, work_pool_name: 'legacy' });
  await post(api, `/deployments/${id}/create_flow_run`, { name: 'held-up' });
  await page.goto(url);
  const waiting = page.getByRole('region', { name: 'Waiting too long' });
  await expect(waiting).toContainText('Work pool "legacy" is paused');
  await look(page, 'inbox-paused-pool');
  const { button, clicks } = clicking(page);
  await button('Resume the work pool');
  await expect(waiting).not.toContainText('is paused');
  expect(clicks()).toBe(1);
  await expect(waiting).toContainText('prefect worker start --pool "legacy"');
});

test('an administrator decides about access from Home, and a viewer changes nothing', async ({
  page,
  browser,
  startEmpty,
}) => {
  test.setTimeout(240_000);
  const server = await startEmpty(settings);
  await setUp(page, server);
  const max = await join(page, browser, server, 'Max Viewer', 'max@example.com');
  const organization = '/api/v0/organizations/default';
  const server_ = { slug: 'docs', name: 'Docs', kind: 'external', external: { url: 'https://example.com/mcp' } };
  await act(page, 'POST', `${organization}/servers`, { ...server_, defaultRole: null });
  await act(max, 'POST', `${organization}/servers/docs/access-requests`, { reason: 'I write the handbook.' });
  await act(page, 'POST', `${organization}/invitations`, { email: 'new@example.com', role: 'member' });
  const { id: flow_id } = await act<Made>(page, 'POST', '/api/flows/', { name: 'sync' });
  await act(page, 'POST', '/api/flow_runs/', { flow_id, state: { type: 'FAILED', message: 'Rate limit' } });
  const workspaces = await act<{ items: Made[] }>(page, 'GET', `${organization}/workspaces`);
  const members = await act<{ items: (Made & { email: string })[] }>(page, 'GET', `${organization}/members`);
  const { id: maxId } = members.items.find(({ email }) => email === 'max@example.com')!;
  await act(page, 'PUT', `${organization}/workspaces/${workspaces.items[0]!.id}/grants/${maxId}`, { role: 'viewer' });
  const key = (await server.command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test')).trim();
  await fetch(`${server.url}/servers/default/docs/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: {} } }),
  });
  await page.goto(server.url);
  const waits = page.getByRole('region', { name: 'Waits for you' });
  await expect(waits).toContainText('asks to use Docs: I write the handbook.');
  await expect(waits).toContainText('new@example.com');
  await look(page, 'inbox-administrator');
  const { button, item, clicks } = clicking(page);
  await button('Approve');
  await expect(waits).not.toContainText('asks to use Docs');
  expect(clicks()).toBe(1);
  await failedRow(page, 'Rate limit').getByRole('link', { name: 'once' }).click();
  await button('Owner');
  await item('Max Viewer');
  await expect(page.getByRole('button', { name: 'Owner: Max Viewer' })).toBeVisible();
  expect(clicks() + 1, 'an owner in three clicks from Home, after one for the access').toBe(4);
  await page.goto(server.url);
  await failedRow(page, 'MCP server Docs').getByRole('link', { name: 'once' }).click();
  await expect(page.getByRole('region', { name: 'Cure' })).toBeVisible();
  await look(page, 'inbox-server-cause');
  await button('Resolve');
  await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible();
  await max.goto(server.url);
  await expect(failedRow(max, 'Docs')).toHaveCount(0);
  await expect(failedRow(max, 'Rate limit')).toContainText('Max Viewer');
  await expect(max.getByRole('region', { name: 'Waits for you' })).toHaveCount(0);
  await failedRow(max, 'Rate limit').getByRole('link', { name: 'once' }).click();
  await expect(max.getByRole('heading', { level: 1 })).toHaveText('Rate limit');
  for (const name of ['Resolve', 'Mute', 'Owner']) {
    await expect(max.getByRole('button', { name: new RegExp(`^${name}`) })).toHaveCount(0);
  }
  await max.context().close();
});

/** Asks the API as the person who is signed in on the page. */
async function act<Answer>(page: Page, method: string, path: string, body?: object): Promise<Answer> {
  const { status, body: answer } = await call(page, method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(answer)}`).toBeLessThan(300);
  return answer;
}
