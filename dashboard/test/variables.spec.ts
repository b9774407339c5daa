import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

test('a variable is made, changed and deleted @postgres @proxy', async ({ page, filled }) => {
  const name = `region-${crypto.randomUUID().slice(0, 8)}`;
  const read = async () => (await page.request.get(`${filled.api}/variables/name/${name}`)).text();
  await page.goto(`${filled.url}/variables`);
  await page.getByRole('button', { name: 'New variable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Value, as JSON').fill('eu');
  await expect(dialog.getByText('This is not JSON.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await dialog.getByLabel('Value, as JSON').fill('{"port": 12345678901234567890, "rate": 1.0}');
  await dialog.getByLabel('Tags').fill('prod, eu');
  await look(page, 'variable-dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await page.getByLabel('Variables whose name contains').fill(name);
  await expect(page.getByRole('row')).toHaveCount(2);
  await look(page, 'variables');

  // Numbers keep the digits that JavaScript would lose.
  await page.getByRole('button', { name: `Change ${name}` }).click();
  await expect(dialog.getByLabel('Value, as JSON')).toHaveValue(/12345678901234567890/);
  await dialog.getByLabel('Tags').fill('prod');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  expect(await read()).toContain('"value":{"port":12345678901234567890,"rate":1.0},"tags":["prod"]');

  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await page.getByRole('button', { name: 'Delete variable' }).click();
  await expect(page.getByText('No variable matches these filters')).toBeVisible();
  expect((await page.request.get(`${filled.api}/variables/name/${name}`)).status()).toBe(404);
});

test('a name that is taken is refused in words', async ({ page, filled, allowed }) => {
  allowed.statuses.push(409);
  const name = `taken-${crypto.randomUUID().slice(0, 8)}`;
  await page.request.post(`${filled.api}/variables/`, { data: { name, value: 1 } });
  await page.goto(`${filled.url}/variables`);
  await page.getByRole('button', { name: 'New variable' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
});

test('an empty list says what variables are for', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(`${server.url}/variables`);
  await expect(page.getByText('No variables yet')).toBeVisible();
  await look(page, 'variables-empty');
});
