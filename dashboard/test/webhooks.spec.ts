import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

const template = '{"event": "door.opened", "resource": {"prefect.resource.id": "door.1"}}';

test('a webhook is made, its address shown once, and its requests say what became of them', async ({
  page,
  filled,
}) => {
  const name = `door-${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/webhooks`);
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  const dialog = page.getByRole('dialog');
  await expect(page).toHaveURL(/\?new=true$/);
  await page.reload();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Template of the event').fill(template);
  await look(page, 'webhook-dialog');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  const address = await dialog.getByText(/\/hooks\/sbh_\w{49}/).textContent();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByText(address ?? '')).toHaveCount(0);
  await expect(page).toHaveURL(/\/webhooks$/);
  const path = new URL(address ?? '').pathname;
  expect((await page.request.post(filled.url + path)).status()).toBe(204);
  await look(page, 'webhooks');
  await page.getByRole('link', { name }).click();
  await expect(page.getByRole('link', { name: 'door.opened' })).toBeVisible();

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Template of the event').fill('{{ body | tojson }}');
  await dialog.getByRole('button', { name: 'Save' }).click();
  expect((await page.request.post(filled.url + path, { data: { event: 1 } })).status()).toBe(400);
  await page.reload();
  await expect(page.getByText(/The template does not render a valid event/)).toBeVisible();
  await look(page, 'webhook');
  await page.getByRole('button', { name: 'New address' }).click();
  await dialog.getByRole('button', { name: 'New address' }).click();
  await expect(dialog.getByText(/\/hooks\/sbh_/)).toBeVisible();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect((await page.request.post(filled.url + path)).status()).toBe(404);
});

test('how the senders of a webhook sign is shown and changed', async ({ page, filled }) => {
  const data = { name: `signed-${crypto.randomUUID().slice(0, 8)}`, template };
  const { id, url } = await (await page.request.post(`${filled.api}/webhooks/`, { data })).json();
  const send = (headers: Record<string, string>) =>
    page.request.post(filled.url + new URL(url).pathname, { headers }).then((answer) => answer.status());
  await page.goto(`${filled.url}/webhooks/webhook/${id}`);
  const dialog = page.getByRole('dialog');
  const scheme = dialog.getByLabel('How the sender signs');
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect(scheme).toHaveValue('none');
  await scheme.selectOption({ label: 'GitLab' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  const shown = dialog.locator('pre').first();
  const secret = (await shown.textContent())?.trim() ?? '';
  expect(secret.length).toBeGreaterThan(15);
  await look(page, 'webhook-secret');
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByText(secret)).toHaveCount(0);
  expect(await send({ 'x-gitlab-token': secret })).toBe(204);
  expect(await send({})).toBe(401);

  // Another name leaves the secret as it is.
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect(scheme).toHaveValue('gitlab');
  await dialog.getByLabel('Description').fill('of the doors');
  await look(page, 'webhook-change');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  expect(await send({ 'x-gitlab-token': secret })).toBe(204);

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Secret, if you have one').fill('another-secret-of-ours');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await send({ 'x-gitlab-token': secret })).toBe(401);
  expect(await send({ 'x-gitlab-token': 'another-secret-of-ours' })).toBe(204);
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
  await expect(page.getByText('2 unfinished, 5 waiting of 7')).toBeVisible();
  await look(page, 'backfills');
  await page.getByRole('button', { name: 'Pause' }).last().click();
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible();
  await page.getByRole('list', { name: 'Backfills' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel backfill' }).click();
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible();
});
