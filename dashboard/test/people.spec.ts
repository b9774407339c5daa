import type { Page } from '@playwright/test';
import { call, join, settings, setUp, signIn } from './accounts.ts';
import { expect, test } from './fixtures.ts';
import { kept } from './kept.ts';
import { look } from './look.ts';

/** Chooses an item of the menu in the row of a member. */
async function actOn(page: Page, email: string, item: RegExp): Promise<void> {
  await page.getByRole('button', { name: `Actions on ${email}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('a key is shown once, gives access to the API, and appears nowhere in the page afterwards @quick @postgres', async ({
  page,
  startEmpty,
  request,
}) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  await page.goto(`${server.url}/account?tab=keys`);
  await expect(page.getByText('You have no key')).toBeVisible();
  await look(page, 'account-keys-empty');
  await page.getByRole('button', { name: 'New key' }).first().click();
  await page.getByLabel('What the key is for').fill('laptop');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? '';
  expect(secret).toMatch(/^sbx_\w+$/);
  const block = page.getByRole('region', { name: "For a client of this server's /api" });
  await expect(block).toHaveText(`export PREFECT_API_URL=${server.url}/api\nexport PREFECT_API_AUTH_STRING=${secret}`);
  await expect(page.getByRole('region', { name: 'For a client of Default / default' })).toContainText(
    `export PREFECT_API_KEY=${secret}\nexport PREFECT_CLOUD_API_URL=${server.url}/api`,
  );
  await page.keyboard.press('Escape');
  await expect(block, 'the new key stays visible until it is copied').toBeVisible();
  await look(page, 'account-key-created');
  const me = () => request.get(`${server.url}/api/v0/me`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await me()).status()).toBe(200);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByRole('cell', { name: 'laptop', exact: true })).toBeVisible();
  expect(await kept(page)).not.toContain(secret.slice(4));
  await page.goBack();
  await page.goForward();
  await expect(page.getByRole('cell', { name: 'laptop', exact: true })).toBeVisible();
  expect(await kept(page)).not.toContain(secret.slice(4));
  await look(page, 'account-keys');
  await page.getByRole('button', { name: 'Roll the key for laptop' }).click();
  await page.getByLabel('The new key expires').selectOption('In 7 days');
  await look(page, 'account-key-roll');
  await page.getByRole('button', { name: 'Roll key' }).click();
  await expect(page.getByText(/The old key works until/)).toBeVisible();
  await look(page, 'account-key-rolled');
  const next = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByText('Rolled, works on', { exact: true })).toBeVisible();
  expect(await kept(page)).not.toContain(next.slice(4));
  expect((await me()).status(), 'the old key works on').toBe(200);
  await look(page, 'account-keys-rolled');
  await page.goto(`${server.url}/`);
  await expect(page.getByRole('region', { name: 'Waits for you' })).toContainText('Your key for laptop');
  await look(page, 'home-key-expires');
  await page.goto(`${server.url}/account?tab=keys`);
  for (let left = 2; left > 0; left--) {
    await page.getByRole('button', { name: 'Revoke the key for laptop' }).first().click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await expect(page.getByRole('cell', { name: 'laptop', exact: true })).toHaveCount(left - 1);
  }
  await expect(page.getByText('You have no key')).toBeVisible();
  expect((await me()).status()).toBe(401);
});

test('a viewer sees no action that the API would refuse @postgres', async ({ page, browser, startEmpty }) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  const max = await join(page, browser, server, 'Max Viewer', 'max@example.com');
  const flow = await call(page, 'POST', '/api/flows/', { name: 'nightly' });
  const run = await call(page, 'POST', '/api/flow_runs/', {
    flow_id: (flow.body as { id: string }).id,
    name: 'first-run',
    state: { type: 'RUNNING' },
  });
  const runPath = `/runs/flow-run/${(run.body as { id: string }).id}`;

  await page.goto(`${server.url}/workspaces`);
  await page.getByRole('link', { name: 'default', exact: true }).click();
  await page.getByLabel(/Role of Max Viewer/).selectOption('viewer');
  await expect(page.getByRole('row', { name: /Max Viewer/ })).toContainText('Grant');
  await look(page, 'workspace');

  await max.goto(`${server.url}/runs`);
  await expect(max.getByRole('link', { name: 'first-run' })).toBeVisible();
  // A viewer selects runs to compare them, and for nothing else.
  await max.getByRole('checkbox', { name: 'Select row 1' }).check();
  const selected = max.getByRole('toolbar', { name: 'Selected runs' });
  await expect(selected).toBeVisible();
  await expect(selected.getByRole('button', { name: /Retry|Cancel|Delete|state/ })).toHaveCount(0);
  await max.goto(server.url + runPath);
  await expect(max.getByRole('heading', { name: 'first-run' })).toBeVisible();
  await expect(max.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  await max.getByRole('button', { name: 'More' }).click();
  await expect(max.getByRole('menuitem', { name: 'Copy id' })).toBeVisible();
  await expect(max.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0);
  await max.getByRole('menuitem', { name: 'As commands…' }).click();
  const commands = max.getByRole('dialog', { name: 'As commands' });
  await expect(commands).toContainText('prefect flow-run logs');
  await expect(commands, 'no command that would be refused').not.toContainText(/cancel|set_state/);
  await max.keyboard.press('Escape');
  await max.keyboard.press('Control+k');
  await max.getByRole('combobox', { name: 'Search everything' }).fill('this run');
  await expect(max.getByRole('dialog', { name: 'Search' }).getByRole('option')).toHaveText(/This run as commands…/);
  await max.goto(`${server.url}/people`);
  await expect(max.getByRole('cell', { name: 'max@example.com', exact: true })).toBeVisible();
  await expect(max.getByRole('button', { name: 'Invite' })).toHaveCount(0);
  await expect(max.getByRole('tab')).toHaveCount(1);
  await expect(max.getByRole('link', { name: 'Audit' })).toHaveCount(0);
  await max.goto(`${server.url}/audit`);
  await expect(max.getByText('You may not see this')).toBeVisible();
  expect((await call(max, 'DELETE', `/api/flow_runs/${(run.body as { id: string }).id}`)).status).toBe(403);

  await page.goto(server.url + runPath);
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await page.goto(`${server.url}/people`);
  await page.getByLabel('Role of max@example.com').selectOption('admin');
  await page.getByRole('button', { name: 'Edit role' }).click();
  await expect(page.getByLabel('Role of max@example.com')).toHaveValue('admin');
  await look(page, 'people');
  await max.goto(server.url + runPath);
  await expect(max.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await actOn(page, 'max@example.com', /^Remove/);
  await page.getByRole('button', { name: 'Remove member' }).click();
  await expect(page.getByRole('cell', { name: 'max@example.com', exact: true })).toHaveCount(0);
  await max.context().close();
});

test('an operator suspends a person and lets the person in again', async ({ page, browser, startEmpty, allowed }) => {
  test.setTimeout(240_000);
  allowed.statuses.push(409);
  const server = await startEmpty(settings);
  await setUp(page, server);
  const max = await join(page, browser, server, 'Max Viewer', 'max@example.com');
  await page.goto(`${server.url}/people`);
  const row = page.getByRole('row', { name: /max@example.com/ });
  await actOn(page, 'max@example.com', /^Suspend/);
  await expect(page.getByRole('button', { name: 'Suspend person' })).toBeDisabled();
  await page.getByRole('textbox', { name: /Type max@example.com/ }).fill('max@example.com');
  await look(page, 'people-suspend');
  await page.getByRole('button', { name: 'Suspend person' }).click();
  await expect(row).toContainText('suspended');
  await look(page, 'people-suspended');
  expect((await max.request.get(`${server.url}/api/v0/me`)).status()).toBe(401);

  await actOn(page, 'max@example.com', /^Reactivate/);
  await page.getByRole('button', { name: 'Reactivate person' }).click();
  await expect(row).not.toContainText('suspended');
  await max.goto(`${server.url}/sign-in`);
  await signIn(max, 'max@example.com');
  await expect(max.getByRole('button', { name: 'Max Viewer' })).toBeVisible();
  await page.getByLabel('People whose name or address contains').fill('lovelace');
  await expect(row).toHaveCount(0);
  await expect(page.getByRole('cell', { name: 'ada@example.com', exact: true })).toBeVisible();
  await page.getByLabel('People whose name or address contains').fill('');
  await max.goto(`${server.url}/people`);
  await expect(max.getByRole('cell', { name: 'max@example.com', exact: true })).toBeVisible();
  const external = { url: 'https://mcp.example.com/mcp' };
  const weather = { slug: 'weather', name: 'Weather maps', kind: 'external', external };
  expect((await call(page, 'POST', '/api/v0/organizations/default/servers', weather)).status).toBe(201);
  await max.keyboard.press('Control+k');
  await max.getByRole('combobox', { name: 'Search everything' }).fill('weather');
  await expect(max.getByRole('option', { name: /Weather maps.*MCP server/ })).toBeVisible();
  await max.getByRole('combobox', { name: 'Search everything' }).fill('lovelace');
  await max.getByRole('option', { name: /Ada Lovelace.*Person/ }).click();
  await expect(max.getByRole('row')).toHaveCount(2);
  await expect(max.getByRole('button', { name: /^Actions on/ }), 'a member acts on nobody').toHaveCount(0);
  await max.context().close();

  await actOn(page, 'ada@example.com', /^Suspend/);
  await page.getByRole('textbox', { name: /Type ada@example.com/ }).fill('ada@example.com');
  await page.getByRole('button', { name: 'Suspend person' }).click();
  await expect(page.getByRole('alert')).toContainText('last administrator');
});

test('an invitation is a link that is shown once and can be revoked', async ({ page, startEmpty, allowed }) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  await page.goto(`${server.url}/people?tab=invitations`);
  await expect(page.getByText('No pending invitation')).toBeVisible();
  await page.getByRole('button', { name: 'Invite' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill('grace@example.com');
  await dialog.getByLabel('Role').selectOption('admin');
  await look(page, 'invite');
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = (await dialog.getByLabel('Link', { exact: true }).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByRole('cell', { name: 'grace@example.com', exact: true })).toBeVisible();
  expect(await kept(page)).not.toContain(link.split('/').at(-1));
  await look(page, 'invitations');
  await page.getByRole('button', { name: 'Revoke the invitation of grace@example.com' }).click();
  await page.getByRole('button', { name: 'Revoke invitation' }).click();
  await expect(page.getByText('No pending invitation')).toBeVisible();
  allowed.statuses.push(404);
  await page.goto(link);
  await expect(page.getByText('This invitation does not work')).toBeVisible();
});

test('a service account is created, gets a second key, is suspended, resumed and deleted', async ({
  page,
  startEmpty,
  request,
}) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  await page.goto(`${server.url}/people?tab=service-accounts`);
  await expect(page.getByText('No service accounts yet')).toBeVisible();
  await page.getByRole('button', { name: 'New service account' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('ci');
  await page.getByRole('textbox', { name: 'Description' }).fill('Deploys from the pipeline');
  await page.getByRole('button', { name: 'Create account and key' }).click();
  const secret = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await kept(page)).not.toContain(secret.slice(4));
  const status = async () =>
    (await request.get(`${server.url}/api/v0/me`, { headers: { authorization: `Bearer ${secret}` } })).status();
  expect(await status()).toBe(200);
  await look(page, 'service-accounts');
  await page.getByRole('link', { name: 'ci' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('What the key is for').fill('rotation');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByRole('cell', { name: 'rotation', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'New key' })).toBeDisabled();
  const lefts = await page
    .getByRole('main')
    .getByRole('heading')
    .evaluateAll((headings) => headings.map((heading) => heading.getBoundingClientRect().left));
  expect(new Set(lefts).size, 'headings stand below each other').toBe(1);
  await look(page, 'service-account');
  await page.getByRole('button', { name: 'Roll the key for rotation' }).click();
  await page.getByLabel('Two keys are active, so one ends with the roll').selectOption('rotation, now');
  await look(page, 'service-account-roll');
  await page.getByRole('button', { name: 'Roll key' }).click();
  await expect(page.getByText('The old key no longer works.')).toBeVisible();
  const rolled = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? '';
  await look(page, 'service-account-rolled');
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await kept(page)).not.toContain(rolled.slice(4));
  await expect(page.getByRole('button', { name: 'Roll the key for rotation' })).toHaveCount(1);
  const account = page.url();
  await page.goto(`${server.url}/people?tab=keys`);
  await expect(page.getByRole('cell', { name: 'rotation', exact: true })).toHaveCount(1);
  await page.getByRole('button', { name: 'Maximum age' }).click();
  await page.getByLabel('Days').fill('10');
  await look(page, 'organization-key-age');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Keys that are older than 10 days are refused here')).toBeVisible();
  await page.getByLabel('Which keys').selectOption('Expire within 14 days');
  await expect(page.getByRole('cell', { name: 'initial key', exact: true })).toBeVisible();
  await look(page, 'organization-keys');
  await page.goto(`${server.url}/account?tab=keys`);
  await page.getByRole('button', { name: 'New key' }).first().click();
  await expect(page.getByLabel('Expires')).toContainText('In 10 days, the maximum age');
  await look(page, 'account-key-limited');
  await page.goto(account);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Suspend' }).click();
  await page.getByRole('button', { name: 'Suspend account' }).click();
  await expect(page.getByText('Its keys do not work while it is suspended')).toBeVisible();
  expect(await status()).toBe(403);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Resume account' }).click();
  await expect(page.getByText('Its keys do not work while it is suspended')).toHaveCount(0);
  expect(await status()).toBe(200);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('ci');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByText('No service accounts yet')).toBeVisible();
  expect(await status()).toBe(403);
});

test('organizations and workspaces are created, and the switcher leads to them', async ({ page, startEmpty }) => {
  const server = await startEmpty({ ...settings, SIGNALBOX_ORGANIZATION_CREATION: 'everyone' });
  await setUp(page, server);
  await page.getByRole('button', { name: 'Organization and workspace' }).click();
  await page.getByRole('menuitem', { name: 'New organization' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Navy & Co');
  await expect(page.getByLabel('Slug')).toHaveValue('navy-co');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await expect(page.getByRole('dialog')).toContainText('New workspace');
  await page.getByRole('textbox', { name: 'Name' }).fill('Ships');
  await page.getByLabel('Default role').selectOption('viewer');
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await expect(page.getByRole('heading', { name: 'Ships' })).toBeVisible();
  await page.getByRole('button', { name: 'Organization and workspace' }).click();
  await page.getByRole('menuitem', { name: /Ships/ }).click();
  await expect(page).toHaveURL(/\/account\/[-\w]+\/workspace\/[-\w]+\/$/);
  await expect(page.getByRole('button', { name: 'Organization and workspace' })).toContainText('Ships');
  await page.getByRole('link', { name: 'Runs' }).click();
  await expect(page.getByText('No runs in this time')).toBeVisible();
  await expect(page).toHaveURL(/\/workspace\/[-\w]+\/runs/);
  await page.getByRole('link', { name: 'Workspaces' }).click();
  await look(page, 'workspaces');
  await page.getByRole('link', { name: 'Ships', exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Fleet');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Fleet' })).toBeVisible();
});

test('the audit is filtered by the address and exported', async ({ page, startEmpty }) => {
  const server = await startEmpty(settings);
  await setUp(page, server);
  await call(page, 'POST', '/api/v0/organizations/default/workspaces', { name: 'ETL', handle: 'etl' });
  await call(page, 'POST', '/api/v0/organizations/default/service-accounts', { name: 'ci' });
  await page.goto(`${server.url}/audit`);
  await expect(page.getByText('service_account.create')).toBeVisible();
  await look(page, 'audit');
  const filter = page.getByRole('combobox', { name: 'Filter entries' });
  await filter.fill('what:workspace');
  await expect(page.getByRole('option', { name: /^workspace\.create/ })).toBeVisible();
  await filter.press('Enter');
  await expect(page).toHaveURL(/action=workspace/);
  await expect(page.getByText('service_account.create')).toHaveCount(0);
  await page.reload();
  await expect(page.getByText('workspace.create')).toBeVisible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  const stream = await (await downloading).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString().trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('workspace.create,workspace');
  await page.getByText('workspace.create').click();
  await expect(page.getByRole('dialog')).toContainText('"handle": "etl"');
  await page.getByRole('button', { name: 'Close' }).click();
  await filter.fill('who:nobody');
  await filter.press('Enter');
  await expect(page.getByText('No entry matches these filters')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filters' }).last().click();
  await expect(page.getByText('service_account.create')).toBeVisible();
});
