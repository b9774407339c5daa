import { expect, test } from './fixtures.ts';
import { writeJson } from './json-editor.ts';
import { look } from './look.ts';

test('a variable is created, changed and deleted @quick @postgres @proxy', async ({ page, filled }) => {
  const name = `region-${crypto.randomUUID().slice(0, 8)}`;
  const read = async () => (await page.request.get(`${filled.api}/variables/name/${name}`)).text();
  await page.goto(`${filled.url}/variables`);
  await page.getByRole('button', { name: 'New variable' }).click();
  const dialog = page.getByRole('dialog');
  await expect(page).toHaveURL(/\?new=true$/);
  await page.reload();
  await dialog.getByLabel('Name').fill(name);
  const value = dialog.getByRole('textbox', { name: 'Value, as JSON' });
  await writeJson(page, 'Value, as JSON', '{\n"port": 1,\n"rate" 2\n}');
  await expect(dialog.getByText('This is not JSON: the fault is in line 3.')).toBeVisible();
  await expect(dialog.locator('.cm-lint-marker-error')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await look(page, 'variable-fault');
  await writeJson(page, 'Value, as JSON', '{"port": 12345678901234567890, "rate": 1.0}');
  await dialog.getByLabel('Tags').fill('prod, eu');
  await look(page, 'variable-dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Saved', { exact: true })).toBeVisible();
  await expect(dialog).toBeHidden();
  await page.getByLabel('Variables whose name contains').fill(name);
  await expect(page.getByRole('row')).toHaveCount(2);
  await look(page, 'variables');

  // Numbers keep the digits that JavaScript would lose.
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  await expect(value).toContainText('12345678901234567890');
  await dialog.getByLabel('Tags').fill('prod');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  expect(await read()).toContain('"value":{"port":12345678901234567890,"rate":1.0},"tags":["prod"]');

  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await page.getByRole('button', { name: 'Delete variable' }).click();
  await expect(page.getByText('No variable matches these filters')).toBeVisible();
  expect((await page.request.get(`${filled.api}/variables/name/${name}`)).status()).toBe(404);
});

test('a duplicate name is refused with a reason', async ({ page, filled, allowed }) => {
  allowed.statuses.push(409);
  const name = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await page.request.post(`${filled.api}/variables/`, { data: { name, value: 1 } });
  await page.goto(`${filled.url}/variables`);
  await page.getByRole('button', { name: 'New variable' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
});

test('a name that the server refuses is explained at its field', async ({ page, filled, allowed }) => {
  allowed.statuses.push(422);
  await page.goto(`${filled.url}/variables?new=true`);
  const dialog = page.getByRole('dialog');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('x'.repeat(256));
  await name.press('Enter');
  const field = dialog.locator('form > div').filter({ has: name });
  await expect(field.getByRole('alert')).toBeVisible();
  await expect(dialog.getByRole('alert')).toHaveCount(1);
});

test('an empty list explains what variables are for', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(`${server.url}/variables`);
  await expect(page.getByText('No variables yet')).toBeVisible();
  await look(page, 'variables-empty');
});
