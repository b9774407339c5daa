/** A hosted MCP server, from its source to a call. */
import { join } from 'node:path';
import { settings, setUp } from './accounts.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';
import { HOSTING } from './running-server.ts';

test('a hosted server is built, goes live, logs its output, gets variables and is rolled back', async ({
  page,
  startEmpty,
}) => {
  test.setTimeout(300_000);
  const server = await startEmpty({ ...settings, SIGNALBOX_HOSTING: HOSTING });
  await setUp(page, server);
  await page.goto(`${server.url}/servers/new?kind=hosted`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Greeter');
  await page.getByRole('combobox', { name: 'Source' }).selectOption('command');
  const program = join(import.meta.dirname, 'fill', 'hosted-program.mjs');
  await page.getByRole('textbox', { name: 'Command' }).fill(`"${process.execPath}" "${program}"`);
  await page.getByLabel('The program speaks').selectOption('stdio');
  await look(page, 'server-new-hosted');
  await page.getByRole('button', { name: 'Create and build' }).click();
  await expect(page.getByRole('list', { name: 'Builds' })).toContainText('Succeeded', { timeout: 60_000 });
  await expect(page.getByRole('list', { name: 'Builds' })).toContainText('live');
  await look(page, 'server-builds');
  await page.getByRole('tab', { name: 'Environment' }).click();
  await page.getByRole('button', { name: 'Add a variable' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('GREETING');
  await page.getByLabel('Value', { exact: true }).fill('a-very-secret-greeting');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('list', { name: 'Variables' })).toContainText('GREETING');
  expect(await page.content()).not.toContain('a-very-secret-greeting');
  await page.getByRole('tab', { name: 'Program' }).click();
  // The question for its manifest starts it too, and it runs on for a while.
  await page.getByRole('button', { name: /^(Start|Restart)$/ }).click();
  await expect(page.getByRole('button', { name: 'Restart' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Output' }).last()).toContainText('GREETING set');
  await look(page, 'server-program');
  await page.getByRole('button', { name: 'Restart' }).click();
  await expect(page.getByRole('button', { name: 'Restart' })).toBeEnabled();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByText('Requests are refused until somebody starts it.')).toBeVisible();
  await look(page, 'server-program-stopped');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Restart' })).toBeEnabled();
  await page.getByRole('tab', { name: 'Builds' }).click();
  await page.getByRole('button', { name: 'New build' }).click();
  await page.getByRole('button', { name: 'Start the build' }).click();
  await expect(page.getByRole('list', { name: 'Deployments' }).getByRole('listitem')).toHaveCount(2, {
    timeout: 60_000,
  });
  await page.getByRole('button', { name: 'Roll back to it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await expect(page.getByRole('list', { name: 'Deployments' }).getByRole('listitem')).toHaveCount(3);
  await page.getByRole('button', { name: 'New build' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Command' }).fill(`"${process.execPath}" "${program}.missing"`);
  await dialog.getByRole('button', { name: 'Start the build' }).click();
  await expect(page.getByRole('list', { name: 'Builds' })).toContainText('Failed', { timeout: 60_000 });
  await page.goto(`${server.url}/servers/greeter?tab=builds`);
  await page.getByRole('link', { name: 'Show what it printed' }).click();
  await expect(page.getByText('Error: Cannot find module')).toBeVisible();
  await page.goto(`${server.url}/servers/greeter?tab=try`);
  await page.getByRole('textbox', { name: 'name' }).fill('Ada');
  await page.getByRole('button', { name: 'Call the tool' }).click();
  await expect(page.getByText('Hello, Ada!', { exact: true })).toBeVisible();
});

test('a package of a registry file asks for its values, and becomes a hosted server with its first build', async ({
  page,
  startEmpty,
  allowed,
}) => {
  allowed.statuses.push(422);
  const server = await startEmpty({ ...settings, SIGNALBOX_HOSTING: HOSTING });
  await setUp(page, server);
  await page.goto(`${server.url}/servers/new?kind=hosted`);
  await page.getByRole('combobox', { name: 'Source' }).selectOption('package');
  await expect(page.getByLabel('The program speaks')).toHaveValue('stdio');
  await page.getByRole('radio', { name: 'From a file' }).click();
  const found = {
    registryType: 'npm',
    identifier: '@example/files',
    version: '1.0.0',
    packageArguments: [{ type: 'positional', valueHint: 'folder', description: 'What it shows.', isRequired: true }],
    environmentVariables: [
      { name: 'FILES_TOKEN', description: 'From your account page.', isRequired: true, isSecret: true },
      { name: 'npm_config_registry' },
    ],
  };
  const field = page.getByRole('textbox', { name: 'Content of the file' });
  await field.fill(JSON.stringify({ name: 'com.example/files', title: 'Files', packages: [found] }, undefined, 2));
  await expect(page.getByText('FILES_TOKEN is needed.')).toBeVisible();
  await page.getByLabel('Variable FILES_TOKEN').fill('a-very-secret-token');
  // Where nothing answers.
  await page.getByLabel('Variable npm_config_registry').fill('http://127.0.0.1:9');
  await page.getByLabel('Argument folder').fill('/srv/files');
  await look(page, 'server-import-package');
  await page.getByRole('button', { name: 'Import the server' }).click();
  await expect(page).toHaveURL(/\/servers\/files\?tab=builds$/);
  await expect(page.getByRole('list', { name: 'Builds' })).toContainText('npm @example/files 1.0.0');
  await page.getByRole('button', { name: 'New build' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: 'Package' })).toHaveValue('@example/files');
  await expect(dialog.getByRole('textbox', { name: 'Arguments' })).toHaveValue('/srv/files');
  await dialog.getByRole('textbox', { name: 'Version' }).fill('next');
  await dialog.getByRole('button', { name: 'Start the build' }).click();
  await expect(dialog.getByText('must be one exact version')).toBeVisible();
  await look(page, 'server-build-package');
  expect(await page.content()).not.toContain('a-very-secret-token');
});
