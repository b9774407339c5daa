/** MCP servers and requests, as an administrator and as a member see them, with real calls through the gateway. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startPostgres, type TestPostgres } from '../../server/test/support/postgres.ts';
import { type FilledServers, fillServers, organization } from './fill/servers.ts';
import { expect, test } from './fixtures.ts';
import { look, picturesFolder } from './look.ts';
import { type RunningServer, startServer } from './running-server.ts';
import { soon } from './soon.ts';

let server: RunningServer;
let filled: FilledServers;
let postgres: TestPostgres | undefined;
let home: string;

test.beforeAll(async ({ database }) => {
  test.setTimeout(240_000);
  home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
  postgres = database === 'postgres' ? await startPostgres() : undefined;
  server = await startServer(home, {
    SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true',
    ...(postgres ? { SIGNALBOX_DATABASE_URL: await postgres.createDatabase() } : {}),
  });
  filled = await fillServers(server);
});

test.afterAll(async () => {
  await filled?.upstream.stop();
  await server?.stop();
  await postgres?.stop();
  await rm(home, { recursive: true, force: true });
});

const asAdministrator = (page: Page) => filled.signIn(page, filled.grace);
const asMember = (page: Page) => filled.signIn(page, filled.bob);

test('without accounts the page explains how to create the first', async ({ page, startEmpty }) => {
  const empty = await startEmpty();
  await page.goto(`${empty.url}/servers`);
  await expect(page.getByText('MCP servers need an account')).toBeVisible();
  await expect(page.getByText('users create --email')).toBeVisible();
  await look(page, 'servers-without-accounts');
});

test('the catalog shows which servers answer, which fail and why, and how much they are used @postgres', async ({
  page,
}) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers`);
  const documents = page.getByRole('row').filter({ hasText: 'Documents' });
  await expect(documents).toContainText('Reachable');
  await expect(documents.getByRole('button', { name: /Copy address/ })).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'Weather' })).toContainText('Does not answer');
  await look(page, 'servers');
  await page.getByRole('link', { name: 'Documents' }).click();
  await expect(page.getByRole('heading', { name: 'Documents' })).toBeVisible();
  // The policy denied calls, which is no failure.
  await expect(page.getByRole('region', { name: 'Failed calls' })).toHaveCount(0);
  const denied = page.locator('dl > div').filter({ hasText: 'Denied' }).getByRole('link');
  await expect(denied).toHaveAttribute('href', /outcome=denied/);
  await page.getByText('VS Code', { exact: true }).click();
  await expect(page.getByText('.vscode/mcp.json')).toBeVisible();
  await look(page, 'server');
  await page.getByRole('tab', { name: 'Capabilities' }).click();
  await page.getByRole('link', { name: 'delete_document' }).click();
  await expect(page).toHaveURL(/tab=capabilities/);
  await expect(page.getByLabel('Input of delete_document')).toContainText('"id"');
  await look(page, 'server-capabilities');
});

test('the built-in server of the workspace is there with its address, and answers a tool', async ({ page }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers`);
  await page.getByRole('link', { name: 'Orchestration of default' }).click();
  await expect(page.getByText('claude mcp add --transport http orchestration-default').first()).toBeVisible();
  await look(page, 'server-builtin');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByLabel('Slug')).toHaveValue('orchestration-default');
  await expect(page.getByRole('button', { name: 'Delete the server' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Try' }).click();
  await page.getByLabel('Tool').selectOption('get_overview');
  await page.getByRole('button', { name: 'Call' }).click();
  await expect(page.getByText('"deployments"').first()).toBeVisible();
  await look(page, 'server-builtin-try');
});

test('a member sees only the permitted servers and tools, and no action that the API would refuse', async ({
  page,
}) => {
  await asMember(page);
  await page.goto(`${server.url}/servers`);
  await expect(page.getByRole('link', { name: 'Documents' })).toBeVisible();
  await expect(page.getByText('Payroll')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'New server' })).toHaveCount(0);
  await page.goto(`${server.url}/servers/documents?tab=policy`);
  await expect(page.getByRole('tab')).toHaveText(['Overview', /Capabilities/, 'Try']);
  await page.goto(`${server.url}/servers/documents?tab=capabilities`);
  await expect(page.getByRole('link', { name: 'add_numbers' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'delete_document' })).toHaveCount(0);
  await page.goto(`${server.url}/servers/weather`);
  await expect(page.getByText('You have no access to this server')).toBeVisible();
  await page.goto(`${server.url}/requests`);
  await expect(page.getByText('No server whose requests you may see')).toBeVisible();
  await look(page, 'requests-of-nobody');
});

test('a concealed or missing server is reported as missing, not as an error', async ({ page, allowed }) => {
  allowed.statuses.push(404);
  await asMember(page);
  await page.goto(`${server.url}/servers/payroll`);
  await expect(page.getByText('It was deleted or never existed')).toBeVisible();
});

test('an external server is tested before it is added, and errors appear at their fields', async ({
  page,
  allowed,
}) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Second Library');
  await expect(page.getByLabel('Slug')).toHaveValue('second-library');
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/mcp');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await expect(page.getByText('It did not work')).toBeVisible();
  allowed.statuses.push(422);
  await page.getByLabel('URL', { exact: true }).fill('ftp://example.com');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'must be an http or https URL' })).toBeVisible();
  await page.getByLabel('URL', { exact: true }).fill(filled.upstream.url);
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await expect(page.getByText('It answers')).toBeVisible();
  await expect(page.getByText('documents 2.1.0')).toBeVisible();
  await look(page, 'server-new');
  await page.getByRole('button', { name: 'Create server' }).click();
  await expect(page).toHaveURL(/\/servers\/second-library$/);
  await expect(page.getByRole('heading', { name: 'Second Library' })).toBeVisible();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await look(page, 'server-settings');
  await page.getByRole('button', { name: 'Delete the server' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('second-library');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the server' }).click();
  await expect(page).toHaveURL(/\/servers$/);
  await expect(page.getByText('Second Library')).toHaveCount(0);
});

test('several headers identify the gateway, and their values are never shown again', async ({ page, allowed }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Two Headers');
  await page.getByLabel('URL', { exact: true }).fill(filled.upstream.url);
  await page.getByLabel('Credential of the gateway').selectOption('headers');
  await page.getByLabel('Value of header 1').fill('a-secret-key');
  allowed.statuses.push(422);
  await page.getByRole('button', { name: 'Create server' }).click();
  await expect(page.getByText('String should have at least 1 character')).toHaveCount(2);
  await expect(page.getByText('Extra inputs')).toHaveCount(0);
  await page.getByLabel('Name of header 2').fill('X-Tenant');
  await page.getByLabel('Value of header 2').fill('a-secret-tenant');
  await look(page, 'server-new-headers');
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByLabel('Name of header 2')).toHaveValue('X-Tenant');
  await expect(page.getByLabel('Value of header 2')).toHaveValue('');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await expect(page.getByText('It answers')).toBeVisible();
  expect(await page.content()).not.toContain('a-secret');
  const { status } = await filled.ask('DELETE', `${organization}/servers/two-headers`);
  expect(status).toBe(204);
});

test('a policy shows its effect before it is saved, and the gateway applies it afterwards @quick', async ({ page }) => {
  await asAdministrator(page);
  expect(await filled.call('documents', 'delete_document', filled.bob.key, { id: 'd-1' })).toBe(403);
  await page.goto(`${server.url}/servers/documents?tab=policy&actor=${filled.bob.id}`);
  const effect = page.getByRole('row').filter({ hasText: 'delete_document' });
  await expect(effect).toContainText('Denied');
  await expect(effect).toContainText('rule 2');
  await page.getByLabel('Effect of rule 2').selectOption('allow');
  await expect(effect).toContainText('gained');
  await expect(page.getByRole('toolbar')).toContainText('1 rule not saved');
  await expect(page.getByRole('toolbar')).toContainText('1 of');
  await look(page, 'server-policy');
  expect(await filled.call('documents', 'delete_document', filled.bob.key, { id: 'd-1' })).toBe(403);
  await page.getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByRole('dialog')).toContainText('bob@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await filled.call('documents', 'delete_document', filled.bob.key, { id: 'd-1' })).toBe(200);
  await page.getByLabel('Effect of rule 2').selectOption('deny');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save policy' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await filled.call('documents', 'delete_document', filled.bob.key, { id: 'd-1' })).toBe(403);
});

test('a grant gives access at once, and its removal takes it away', async ({ page }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/payroll?tab=access`);
  expect(await filled.call('payroll', 'ping', filled.bob.key)).toBe(404);
  await page.getByLabel('Person or service account').selectOption({ label: 'bob@example.com' });
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  await expect(page.getByLabel('Role of bob@example.com')).toHaveValue('viewer');
  expect(await filled.call('payroll', 'ping', filled.bob.key)).toBe(200);
  await look(page, 'server-access');
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove grant' }).click();
  await expect(page.getByLabel('Role of bob@example.com')).toHaveCount(0);
  expect(await filled.call('payroll', 'ping', filled.bob.key)).toBe(404);
});

test('a person calls a tool from the page, and its result is shown as inert text @quick', async ({ page }) => {
  await asMember(page);
  await page.goto(`${server.url}/servers/documents?tab=try&name=search_documents`);
  await page.getByLabel('Query').fill('invoice');
  await page.getByRole('button', { name: 'Call the tool' }).click();
  await expect(page.getByText('2 documents contain "invoice".')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Structured result' }).first()).toContainText('d-17');
  await look(page, 'server-try');
  await page.getByRole('link', { name: 'Its record' }).waitFor();
  await page.getByLabel('Tool', { exact: true }).selectOption('fail');
  await page.getByRole('button', { name: 'Call the tool' }).click();
  await expect(page.getByText('The tool failed')).toBeVisible();
  await page.getByLabel('Tool', { exact: true }).selectOption('ping');
  await page.getByRole('button', { name: 'Call the tool' }).click();
  await expect(page.getByText('pong <script>alert(1)</script>', { exact: true })).toBeVisible();
  const { items } = (await filled.ask('GET', `${organization}/servers/documents/requests?limit=1`)).body as {
    items: { actorName: string; clientName: string }[];
  };
  expect(items[0]).toMatchObject({ actorName: 'bob@example.com', clientName: 'signalbox-dashboard' });
});

test('requests are filtered by the address, summed, and open with their full record @postgres', async ({ page }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/requests`);
  await expect(page.getByRole('row').filter({ hasText: 'forecast' }).last()).toContainText('Failed');
  await expect(page.getByRole('region', { name: 'By caller' })).toContainText('bob@example.com');
  await look(page, 'requests');
  const total = page.getByRole('status').filter({ hasText: /^\d+ requests$/ });
  const before = (await total.textContent()) ?? '';
  await filled.call('documents', 'search_documents', filled.bob.key, { query: 'live' });
  await expect(total).not.toHaveText(before, soon(4000));
  await page.getByRole('region', { name: 'By capability' }).getByRole('button', { name: 'search_documents' }).click();
  await expect(page).toHaveURL(/tool=search_documents/);
  const requests = page.getByRole('table', { name: 'Requests' });
  await expect(requests.getByText('add_numbers')).toHaveCount(0);
  await expect(requests.getByText('search_documents').first()).toBeVisible();
  await page.goto(`${server.url}/requests?server=weather&outcome=failed`);
  await page.getByRole('table', { name: 'Requests' }).getByRole('button', { name: 'forecast' }).first().press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The target refused the connection.');
  await expect(dialog).toContainText('Check that the target runs');
  await expect(dialog.locator('dl')).toContainText('Allowed by');
  await look(page, 'request-failed');
  await page.goto(`${server.url}/requests?server=documents&outcome=denied`);
  await page.getByRole('table', { name: 'Requests' }).getByRole('button', { name: 'delete_document' }).first().click();
  await expect(page.getByRole('dialog')).toContainText('a rule of the policy');
  await expect(page).toHaveURL(/open=/);
  await look(page, 'request');
  await page.keyboard.press('Escape');
  await page.goto(`${server.url}/requests?server=payroll&capability=nothing`);
  await expect(page.getByText('No request matches these filters')).toBeVisible();
});

test('a remix offers the capabilities that its editor chooses, under other names', async ({ page }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/new?kind=remix`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Research');
  await page.getByRole('button', { name: 'Create server' }).click();
  await expect(page.getByText('Nothing is chosen yet.')).toBeVisible();
  await look(page, 'remix-empty');
  await page.getByLabel('Add a server').selectOption('Documents');
  const documents = page.getByRole('region', { name: 'Documents' });
  await documents.getByRole('checkbox', { name: /search_documents/ }).check();
  await documents.getByLabel('Name of search_documents here').fill('find');
  const seen = page.getByRole('region', { name: 'Clients see' });
  await expect(seen.getByText('find', { exact: true })).toBeVisible();

  await documents.getByRole('checkbox', { name: /add_numbers/ }).check();
  await documents.getByLabel('Name of add_numbers here').fill('find');
  await expect(seen.getByRole('alert')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save choices' })).toBeDisabled();
  await look(page, 'remix-conflict');
  await documents.getByLabel('Name of add_numbers here').fill('add');
  await expect(seen.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Save choices' }).click();
  await expect(page.getByRole('button', { name: 'Save choices' })).toBeDisabled();
  await look(page, 'remix-choices');
  expect(await filled.call('research', 'add', filled.grace.key, { left: 1, right: 2 })).toBe(200);

  await page.reload();
  await expect(documents.getByLabel('Name of search_documents here')).toHaveValue('find');
  await page.getByRole('tab', { name: /Capabilities/ }).click();
  await expect(page.getByText('find', { exact: true }).first()).toBeVisible();
});

test('a person connects an account of their own at a server, and disconnects it', async ({ page }) => {
  await asMember(page);
  await page.goto(`${server.url}/servers/tickets`);
  await expect(page.getByText('Not connected')).toBeVisible();
  await page.getByRole('link', { name: 'Connect your account' }).click();
  await expect(page.getByText('Make a key under Settings')).toBeVisible();
  await page.screenshot({ path: `${picturesFolder}/connect-page.png` });
  await page.getByLabel('Your key for').fill('key-of-bob');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByText('Your account is connected')).toBeVisible();
  await page.getByRole('link', { name: 'To the server' }).click();
  await expect(page.getByText('Your requests carry your own key')).toBeVisible();
  await look(page, 'server-account');
  await page.goto(`${server.url}/account?tab=servers`);
  await expect(page.getByRole('link', { name: 'default / Tickets' })).toBeVisible();
  await look(page, 'account-servers');

  await asAdministrator(page);
  await page.goto(`${server.url}/servers/tickets?tab=access`);
  const accounts = page.getByRole('list', { name: 'Accounts of people' });
  await expect(accounts.getByText('bob@example.com')).toBeVisible();
  await look(page, 'server-accounts');
  await accounts.getByRole('button', { name: 'End' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End account' }).click();
  await expect(page.getByText('Nobody has connected an account yet.')).toBeVisible();

  await asMember(page);
  await page.goto(`${server.url}/servers/tickets`);
  await page.getByRole('link', { name: 'Connect your account' }).click();
  await page.getByLabel('Your key for').fill('another-key-of-bob');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('link', { name: 'To the server' }).click();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByText('Not connected')).toBeVisible();
});

test('an administrator has tools held back until they are approved', async ({ page }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/tickets?tab=approvals`);
  await expect(page.getByText('Tools are not held back')).toBeVisible();
  await look(page, 'server-approvals-off');
  await page.getByRole('button', { name: 'Hold back tools that change' }).click();
  await expect(page.getByText('Approved', { exact: true }).first()).toBeVisible();
  filled.upstream.describe('add_numbers', 'Adds two numbers, and sends them to somebody else.');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Changed, held back')).toBeVisible();
  await expect(page.getByText('sends them to somebody else')).toBeVisible();
  await look(page, 'server-approvals');
  await page.getByRole('button', { name: 'Approve add_numbers' }).click();
  await expect(page.getByText('Changed, held back')).toBeHidden();
  filled.upstream.describe('add_numbers', undefined);
});

test('an administrator limits how much callers may use', async ({ page, allowed }) => {
  allowed.statuses.push(422);
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/tickets?tab=limits`);
  await expect(page.getByText('Callers are not limited.')).toBeVisible();
  await page.getByRole('button', { name: 'Add a quota' }).click();
  await page.getByLabel('Tool').fill('add_*');
  await page.getByLabel('A minute').fill('30');
  await page.getByLabel('Most bytes of an answer').fill('12');
  await page.getByRole('button', { name: 'Save the limits' }).click();
  await expect(page.getByText('greater than or equal to 1024')).toBeVisible();
  await page.getByLabel('Most bytes of an answer').fill('100000');
  await page.getByRole('button', { name: 'Save the limits' }).click();
  await expect(page.getByRole('button', { name: 'Save the limits' })).toBeDisabled();
  await page.reload();
  await expect(page.getByLabel('Tool')).toHaveValue('add_*');
  await look(page, 'server-limits');
});

test('an editor has people use accounts of their own', async ({ page }) => {
  await asAdministrator(page);
  await page.goto(`${server.url}/servers/tickets?tab=settings`);
  await page.getByLabel('Where people get a key').fill('Ask the help desk.');
  await page.getByRole('button', { name: 'Save the accounts' }).click();
  await expect(page.getByRole('button', { name: 'Save the accounts' })).toBeDisabled();
  await look(page, 'server-accounts-settings');
});

test('a server has its actions as commands, and a viewer only those that read', async ({ page }) => {
  const open = async () => {
    await page.goto(`${server.url}/servers/documents`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'As commands…' }).click();
    return page.getByRole('dialog', { name: 'As commands' });
  };
  await asMember(page);
  const ofViewer = await open();
  await expect(ofViewer).toContainText('signalbox api --path /organizations/default/servers/documents');
  await expect(ofViewer).not.toContainText(/DELETE|POST/);
  await asAdministrator(page);
  const ofAdministrator = await open();
  await expect(ofAdministrator).toContainText(
    '--method POST --path /organizations/default/servers/documents/capabilities/refresh',
  );
  await expect(ofAdministrator).toContainText(
    `curl -X DELETE -H "Authorization: Bearer $SIGNALBOX_KEY" ${server.url}/api/v0/organizations/default/servers/documents`,
  );
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('policy of');
  await page.getByRole('option', { name: 'Policy of this server' }).click();
  await expect(page.getByRole('tab', { name: 'Policy' })).toHaveAttribute('aria-selected', 'true');
});
