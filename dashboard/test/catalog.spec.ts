/** The catalog of MCP servers: what a member finds, asks for and gets, and what an administrator decides and imports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FilledServers, fillServers, organization } from './fill/servers.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';
import { type RunningServer, startServer } from './running-server.ts';

let server: RunningServer;
let filled: FilledServers;
let home: string;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
  server = await startServer(home, { SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true' });
  filled = await fillServers(server);
  await filled.ask('PUT', `${organization}/servers/weather/grants/${filled.grace.id}`, { role: 'admin' });
});

test.afterAll(async () => {
  await filled?.upstream.stop();
  await server?.stop();
  await rm(home, { recursive: true, force: true });
});

test('a member searches the catalog, and connects a client', async ({ page }) => {
  await filled.signIn(page, filled.bob);
  await page.goto(`${server.url}/catalog`);
  const rows = page.getByRole('table', { name: 'Catalog' }).getByRole('row');
  await expect(rows.filter({ hasText: 'Documents' })).toContainText('viewer');
  await expect(page.getByText('Payroll')).toHaveCount(0);
  await look(page, 'catalog');
  await page.getByLabel('Name or description').fill('keeps the documents');
  await expect(rows.filter({ hasText: 'Weather' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Documents' }).click();
  await expect(page.getByRole('list', { name: 'Tools' })).toContainText('search_documents');
  await expect(page.getByRole('list', { name: 'Tools' })).not.toContainText('delete_document');
  await page.getByText('Cursor', { exact: true }).click();
  const link = page.getByRole('link', { name: 'Open in Cursor' });
  await expect(link).toHaveAttribute('href', /^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=documents&/);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'server.json' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('server.json');
  await look(page, 'catalog-server');
});

test('a member asks for access, and an administrator gives it', async ({ page, browser }) => {
  await filled.signIn(page, filled.bob);
  await page.goto(`${server.url}/catalog?kind=remix`);
  await expect(page.getByText('No server matches these filters')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filters' }).click();
  await page.getByRole('link', { name: 'Weather' }).click();
  // The row of the list has a button of the same name, which goes with the list.
  await expect(page.getByRole('heading', { level: 1, name: 'Weather' })).toBeVisible();
  await page.getByRole('button', { name: 'Request access' }).click();
  await page.getByLabel('What do you need it for?').fill('I plan the outdoor events.');
  await page.getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByText('You have asked for access')).toBeVisible();

  const others = await browser.newContext({ viewport: page.viewportSize() });
  const admin = await others.newPage();
  await filled.signIn(admin, filled.grace);
  await admin.goto(`${server.url}/catalog?tab=decide`);
  const request = admin.getByRole('list', { name: 'Requests for access' }).getByRole('listitem');
  await expect(request).toContainText('I plan the outdoor events.');
  await look(admin, 'access-requests');
  await admin.goto(`${server.url}/servers/weather?tab=access`);
  await expect(request).toContainText('bob@example.com');
  await admin.getByRole('button', { name: 'Refuse' }).click();
  await expect(admin.getByLabel('Why, for bob@example.com')).toBeVisible();
  await admin.getByRole('button', { name: 'Cancel' }).click();
  await admin.getByRole('button', { name: 'Approve' }).click();
  await admin.getByRole('button', { name: 'Grant the role' }).click();
  await expect(request).toHaveCount(0);
  await others.close();

  await page.goto(`${server.url}/catalog?tab=own`);
  await expect(page.getByText('Approved as viewer by grace@example.com')).toBeVisible();
  await page.goto(`${server.url}/catalog/weather`);
  await expect(page.getByRole('region', { name: 'Connect a client' })).toBeVisible();
});

test('an administrator imports a server from a registry file, and learns why another cannot be', async ({ page }) => {
  await filled.signIn(page, filled.grace);
  await page.goto(`${server.url}/servers/new?kind=import`);
  const field = page.getByRole('textbox', { name: 'Content of the file' });
  await field.fill(
    JSON.stringify({ name: 'com.example/files', packages: [{ registryType: 'oci', identifier: 'example/files' }] }),
  );
  await expect(page.getByText(/this one cannot \(oci example\/files\)/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Import the server' })).toBeDisabled();
  const remote = {
    type: 'streamable-http',
    url: filled.upstream.url,
    headers: [{ name: 'X-Api-Key', description: 'From your account page.', isRequired: true, isSecret: true }],
  };
  await field.fill(JSON.stringify({ name: 'com.example/library', title: 'Library', remotes: [remote] }, undefined, 2));
  await expect(page.getByText('X-Api-Key is needed.')).toBeVisible();
  await page.getByLabel('Header X-Api-Key').fill('a-secret');
  await look(page, 'server-import');
  await page.getByRole('button', { name: 'Import the server' }).click();
  await expect(page).toHaveURL(/\/servers\/library$/);
  await expect(page.getByRole('heading', { name: 'Library' })).toBeVisible();
});

test('the servers in the settings of an MCP client are imported together, and those that cannot be say why', async ({
  page,
  allowed,
}) => {
  // A text that is not whole yet.
  allowed.statuses.push(422);
  await filled.signIn(page, filled.grace);
  await page.goto(`${server.url}/servers/new?kind=import`);
  const field = page.getByRole('textbox', { name: 'Content of the file' });
  await field.fill('{ // settings\n "mcpServers": {');
  await expect(page.getByText('This text is not JSON.')).toBeVisible();
  const url = filled.upstream.url;
  const servers = {
    atlas: { url, gallery: true, headers: { 'X-Api-Key': '<your key>' } },
    globe: { url },
    image: { command: 'docker', args: ['run', 'example/image'] },
  };
  await field.fill(`// settings\n${JSON.stringify({ mcpServers: servers }, undefined, 2)}`);
  await expect(page.getByText(/this one starts docker/)).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'image' })).toBeDisabled();
  await expect(page.getByText('Without effect here: mcpServers.atlas.gallery.')).toBeVisible();
  await expect(page.getByText('X-Api-Key is needed.')).toBeVisible();
  await page.getByLabel('Header X-Api-Key').fill('a-secret');
  await look(page, 'server-import-settings');
  await page.getByRole('button', { name: 'Import 2 servers' }).click();
  await expect(page).toHaveURL(/\/servers$/);
  for (const name of ['atlas', 'globe']) await expect(page.getByRole('link', { name })).toBeVisible();
});
