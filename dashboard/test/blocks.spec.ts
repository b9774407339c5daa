import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

const SECRET = 'hunter2-of-the-test';

test('a secret block is made with its form, is masked, and is shown only on request @quick @postgres @proxy', async ({
  page,
  filled,
}) => {
  const name = `token-${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/blocks/catalog/secret/create`);
  await page.getByLabel(/^Name/).fill(name);
  const value = page.getByLabel(/^Value(?!s)/);
  await expect(value).toHaveAttribute('type', 'password');
  await value.fill(SECRET);
  await look(page, 'block-create');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Values' })).toContainText('********');
  expect(await page.content()).not.toContain(SECRET);
  await look(page, 'block');

  await page.getByRole('button', { name: 'Show the secrets' }).click();
  await expect(page.getByRole('dialog')).toContainText(SECRET);
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(await page.content()).not.toContain(SECRET);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete block' }).click();
  await expect(page).toHaveURL(/\/blocks$/);
});

test('an edit keeps a secret that was not changed', async ({ page, filled }) => {
  const name = `hook-${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/blocks/catalog/slack-webhook`);
  await expect(page.getByRole('region', { name: 'Fields' })).toContainText('Webhook URL');
  await look(page, 'block-type');
  await page.getByRole('link', { name: 'New block' }).click();
  await page.getByLabel(/^Name/).fill(name);
  await page.getByLabel(/^Webhook URL/).fill('https://hooks.example.com/services/one');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  const id = page.url().split('/').at(-1);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel(/^Notify Type/).selectOption('warning');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('region', { name: 'Values' })).toContainText('warning');
  const answer = await page.request.get(`${filled.api}/block_documents/${id}?include_secrets=true`);
  expect(((await answer.json()) as { data: object }).data).toMatchObject({
    notify_type: 'warning',
    url: 'https://hooks.example.com/services/one',
  });
});

test('a block lists its users, and the delete dialog warns of them', async ({ page, filled }) => {
  const { block } = filled.seeded;
  const name = `uses-${crypto.randomUUID().slice(0, 8)}`;
  await page.request.post(`${filled.api}/automations/`, {
    data: {
      name,
      enabled: false,
      trigger: { type: 'event', posture: 'Reactive', expect: ['never.happens'], threshold: 1 },
      actions: [{ type: 'send-notification', block_document_id: block, subject: 'a', body: 'b' }],
    },
  });
  await page.goto(`${filled.url}/blocks/block/${block}`);
  await expect(page.getByRole('region', { name: 'Used by' }).getByRole('link', { name })).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toContainText('will fail without it');
  await page.getByRole('button', { name: 'Keep' }).click();
});

test('blocks and their types are found by part of the name', async ({ page, filled }) => {
  await page.goto(`${filled.url}/blocks`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await look(page, 'blocks');
  await page.goto(`${filled.url}/blocks/catalog`);
  await look(page, 'block-catalog');
  await page.getByLabel('Types whose name contains').fill('github cred');
  await expect(page.getByRole('row')).toHaveCount(2);
});
