import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

const template = '{"event": "door.opened", "resource": {"prefect.resource.id": "door.1"}}';

test('a webhook is made, its address shown once, and its requests say what became of them', async ({
  page,
  filled,
}) => {
  const name = `door-${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/webhooks`);
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Template of the event').fill(template);
  await look(page, 'webhook-dialog');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  const address = await dialog.getByText(/\/hooks\/sbh_\w{49}/).textContent();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByText(address ?? '')).toHaveCount(0);
  const path = new URL(address ?? '').pathname;
  expect((await page.request.post(filled.url + path)).status()).toBe(204);
  await look(page, 'webhooks');
  await page.getByRole('link', { name }).click();
  await expect(page.getByRole('link', { name: 'door.opened' })).toBeVisible();

  await page.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Template of the event').fill('{{ body | tojson }}');
  await dialog.getByRole('button', { name: 'Save' }).click();
  expect((await page.request.post(filled.url + path, { data: { event: 1 } })).status()).toBe(400);
  await page.reload();
  await expect(page.getByText(/The template renders no event/)).toBeVisible();
  await look(page, 'webhook');
  await page.getByRole('button', { name: 'New address' }).click();
  await dialog.getByRole('button', { name: 'New address' }).click();
  await expect(dialog.getByText(/\/hooks\/sbh_/)).toBeVisible();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect((await page.request.post(filled.url + path)).status()).toBe(404);
});

test('an empty list explains what webhooks are for', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(`${server.url}/webhooks`);
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  await look(page, 'webhooks-empty');
});

test('a backfill says how many runs there will be, runs, and is paused and cancelled', async ({ page, filled }) => {
  const flow = await (await page.request.post(`${filled.api}/flows/`, { data: { name: 'backfilled' } })).json();
  const name = `b-${crypto.randomUUID().slice(0, 8)}`;
  const made = await page.request.post(`${filled.api}/deployments/`, { data: { name, flow_id: flow.id } });
  const { id } = await made.json();
  await page.goto(`${filled.url}/deployments/deployment/${id}?tab=backfills`);
  await expect(page.getByText('There are none yet.')).toBeVisible();
  await page.getByRole('link', { name: 'New backfill' }).click();
  await page.getByLabel('From').fill('2026-03-01T00:00');
  await page.getByLabel('To', { exact: true }).fill('2026-03-07T23:00');
  await page.getByLabel('Name').fill('first week of March');
  await page.getByLabel('Unfinished at a time').fill('2');
  const start = page.getByRole('button', { name: 'Start 7 runs' });
  await expect(start).toBeEnabled();
  await look(page, 'backfill-form');
  await start.click();
  await expect(page.getByText('2 unfinished, 5 waiting of 7')).toBeVisible({ timeout: 15_000 });
  await look(page, 'backfills');
  await page.getByRole('button', { name: 'Pause' }).last().click();
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible();
  await page.getByRole('list', { name: 'Backfills' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel backfill' }).click();
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible({ timeout: 20_000 });
});
