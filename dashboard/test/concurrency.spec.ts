import type { APIRequestContext } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

async function newLimit(request: APIRequestContext, api: string, limit: number) {
  const name = `limit-${crypto.randomUUID().slice(0, 8)}`;
  const answer = await request.post(`${api}/v2/concurrency_limits/`, { data: { name, limit } });
  return { name, id: ((await answer.json()) as { id: string }).id };
}

test('a limit shows its holders, and a slot is released @quick @postgres @proxy', async ({ page, filled }) => {
  const { name, id } = await newLimit(page.request, filled.api, 2);
  await page.request.post(`${filled.api}/v2/concurrency_limits/increment-with-lease`, {
    data: { names: [name], slots: 1, lease_duration: 3600, holder: { type: 'flow_run', id: filled.seeded.run } },
  });
  await page.request.post(`${filled.api}/v2/concurrency_limits/increment`, { data: { names: [name], slots: 1 } });
  await page.goto(`${filled.url}/concurrency?name=${name}`);
  const row = page.getByRole('row').nth(1);
  await expect(row).toContainText('2 of 2');
  await expect(row).toContainText('full');
  await look(page, 'concurrency');
  await row.getByRole('link', { name }).click();
  await expect(page).toHaveURL(new RegExp(`/concurrency-limits/concurrency-limit/${id}$`));
  const held = page.getByRole('region', { name: 'Held by' });
  await expect(held.getByRole('link', { name: 'seeded-run' })).toBeVisible();
  await look(page, 'concurrency-limit');
  await held.getByRole('button', { name: 'Release' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await expect(page.getByText('1 of 2')).toBeVisible();
  await held.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await expect(page.getByText('0 of 2')).toBeVisible();
  await expect(held).toContainText('No slot is held.');
});

test('limits are created, changed and deleted', async ({ page, filled }) => {
  const name = `made-${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/concurrency`);
  await page.getByRole('button', { name: 'New limit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await dialog.getByLabel('Slots', { exact: true }).fill('3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await page.getByLabel('Limits whose name contains').fill(name);
  await expect(page.getByText('0 of 3')).toBeVisible();
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  await dialog.getByLabel('Slots', { exact: true }).fill('5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('0 of 5')).toBeVisible();
  await page.getByRole('button', { name: `Delete ${name}` }).click();
  await page.getByRole('button', { name: 'Delete limit' }).click();
  await expect(page.getByText('No limit matches these filters')).toBeVisible();
  expect((await page.request.get(`${filled.api}/v2/concurrency_limits/${name}`)).status()).toBe(404);
});

test('a limit on a tag is created, and its other address leads to its page', async ({ page, filled }) => {
  const tag = `tag-${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/concurrency`);
  await page.getByRole('button', { name: 'New limit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').selectOption('tag');
  await dialog.getByRole('textbox', { name: 'Tag', exact: true }).fill(tag);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const answer = await page.request.get(`${filled.api}/concurrency_limits/tag/${tag}`);
  const { id, concurrency_limit } = (await answer.json()) as { id: string; concurrency_limit: number };
  expect(concurrency_limit).toBe(1);
  await page.goto(`${filled.url}/concurrency-limit/${id}`);
  await expect(page.getByRole('heading', { name: tag })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/concurrency-limits/concurrency-limit/${id}$`));
});
