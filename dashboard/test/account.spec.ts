/** Signing in, the own account, and the ways of access without accounts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuthClient } from '../../server/test/support/oauth-client.ts';
import { call, password, settings, setUp, signIn } from './accounts.ts';
import { expect, test } from './fixtures.ts';
import { kept } from './kept.ts';
import { look } from './look.ts';

test('sign-in returns to the requested page, and the end of a session loses no typed text @quick @postgres', async ({
  page,
  context,
  browser,
  startEmpty,
  allowed,
}) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('You are signed out.')).toBeVisible();
  allowed.statuses.push(401);
  // The stream ends with its session.
  allowed.isServerAway = true;
  await page.goto(`${server.url}/runs?state=FAILED`);
  await signIn(page, 'ada@example.com');
  await expect(page).toHaveURL(`${server.url}/runs?state=FAILED`);
  await expect(page.getByText('No run matches these filters')).toBeVisible();

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(`${server.url}/account?tab=sessions`);
  await signIn(elsewhere, 'ada@example.com');
  await page.goto(`${server.url}/workspaces?new=workspace`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Half typed');
  await elsewhere.getByRole('button', { name: 'End all others' }).click();
  await elsewhere.getByRole('button', { name: 'End 1' }).click();
  await expect(elsewhere.getByText('this browser')).toBeVisible();
  await expect(elsewhere.getByRole('button', { name: 'End all others' })).toHaveCount(0);
  await look(elsewhere, 'account-sessions');

  await page.getByRole('button', { name: 'Create workspace' }).click();
  await expect(page.getByText('Your session has ended.')).toBeVisible();
  await look(page, 'session-ended');
  const opening = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Sign in beside this page' }).click();
  const beside = await opening;
  await signIn(beside, 'ada@example.com');
  await expect(beside.getByText('You are signed in')).toBeVisible();
  await beside.close();
  await page.bringToFront();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await expect(page.getByText('Your session has ended.')).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Half typed');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await expect(page.getByRole('heading', { name: 'Half typed' })).toBeVisible();
  await elsewhere.context().close();
});

test('a user changes the name and the password', async ({ page, startEmpty, allowed }) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  await page.goto(`${server.url}/account`);
  await page.getByRole('button', { name: 'Edit name' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Countess Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Countess Ada' })).toBeVisible();
  await look(page, 'account');
  await page.getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password').fill('not the password');
  await dialog.getByLabel('New password').fill('a ship in port is safe');
  allowed.statuses.push(403);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await expect(dialog.getByText('The current password is wrong.')).toBeVisible();
  await dialog.getByLabel('Current password').fill(password);
  await dialog.getByRole('button', { name: 'Change password' }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Countess Ada' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await signIn(page, 'ada@example.com', 'a ship in port is safe');
  await expect(page.getByRole('button', { name: 'Countess Ada' })).toBeVisible();
});

test('a server without accounts explains how to create the first', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(`${server.url}/people`);
  await expect(page.getByText('This server has no accounts yet')).toBeVisible();
  await look(page, 'people-no-accounts');
});

test('a server with one user and password asks for them once, and the page is live', async ({
  page,
  startEmpty,
  allowed,
  request,
}) => {
  const server = await startEmpty({ SIGNALBOX_API_AUTH: 'basic', SIGNALBOX_API_AUTH_STRING: 'admin:opensesame' });
  allowed.statuses.push(401);
  await page.goto(`${server.url}/runs`);
  const dialog = page.getByRole('dialog', { name: 'Sign in to this server' });
  await dialog.getByLabel('User').fill('admin');
  await dialog.getByLabel('Password').fill('wrong');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await expect(dialog.getByText('The user or the password is wrong.')).toBeVisible();
  await dialog.getByLabel('Password').fill('opensesame');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('No runs in this time')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' }).getByText('Live')).toBeVisible({ timeout: 40_000 });
  expect(await kept(page)).not.toContain('opensesame');
  const headers = { authorization: `Basic ${btoa('admin:opensesame')}` };
  const flow = await (await request.post(`${server.url}/api/flows/`, { data: { name: 'nightly' }, headers })).json();
  await request.post(`${server.url}/api/flow_runs/`, { data: { flow_id: flow.id, name: 'live-run' }, headers });
  await expect(page.getByRole('link', { name: 'live-run' })).toBeVisible();
});

test('a person signs an MCP client in with the browser, and disconnects it', async ({ page, startEmpty }) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  const made = await call(page, 'POST', '/api/v0/organizations/default/servers', {
    slug: 'docs',
    name: 'Documentation',
    kind: 'external',
    external: { url: 'https://mcp.example.com/mcp' },
    defaultRole: 'viewer',
  });
  expect(made.status).toBe(201);
  await page.goto(`${server.url}/account?tab=clients`);
  await expect(page.getByText('No client is connected')).toBeVisible();
  await look(page, 'account-clients-empty');

  const editor = createServer((_request, response) => response.end('Back in the editor.'));
  await new Promise<void>((resolve) => editor.listen(0, '127.0.0.1', resolve));
  const redirectUri = `http://127.0.0.1:${(editor.address() as AddressInfo).port}/callback`;
  const client = new OAuthClient({
    origin: server.url,
    resource: `${server.url}/servers/default/docs/mcp`,
    redirectUri,
  });
  expect((await client.register({ client_name: 'Editor' })).status).toBe(201);
  const returned = page.waitForRequest((request) => request.url().startsWith(redirectUri));
  await page.goto(client.authorizationUrl());
  await expect(page.getByText('Editor').first()).toBeVisible();
  await expect(page.getByText('Documentation').first()).toBeVisible();
  // The buttons take clicks once the pointer has been on the page for a moment.
  await page.getByText('Documentation').first().hover();
  await page.getByRole('button', { name: 'Allow' }).click();
  const back = new URL((await returned).url());
  await expect(page.getByText('Back in the editor.')).toBeVisible();
  editor.close();
  editor.closeAllConnections();
  expect(back.searchParams.get('state')).toBe(client.state);
  const { status, body: tokens } = await client.exchange(back.searchParams.get('code') ?? '');
  expect(status).toBe(200);

  await page.goto(`${server.url}/account?tab=clients`);
  await expect(page.getByRole('cell', { name: 'Editor', exact: true })).toBeVisible();
  await look(page, 'account-clients');
  await page.getByRole('button', { name: 'Disconnect Editor' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByText('No client is connected')).toBeVisible();
  expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
});
