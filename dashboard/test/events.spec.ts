import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

test('events are filtered by name, resource and words, and the address holds the filters @quick', async ({
  page,
  filled,
}) => {
  const id = crypto.randomUUID();
  await page.request.post(`${filled.api}/events`, {
    data: [
      {
        id,
        occurred: new Date().toISOString(),
        event: 'kitchen.opened',
        resource: { 'prefect.resource.id': 'kitchen.north', 'prefect.resource.name': 'North kitchen' },
        related: [
          { 'prefect.resource.id': `prefect.flow-run.${filled.seeded.run}`, 'prefect.resource.role': 'flow-run' },
        ],
        payload: { by: 'ada' },
      },
    ],
  });
  await page.goto(`${filled.url}/events`);
  await expect(page.getByRole('table', { name: 'Events' }).getByRole('row')).not.toHaveCount(1);
  await look(page, 'events');
  await page.getByRole('combobox', { name: 'Filter events' }).fill('event:kitchen.');
  await expect(page.getByRole('option', { name: /^kitchen\.opened/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/event=kitchen\./);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByText('1 event', { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('link', { name: 'kitchen.opened' })).toBeVisible();
  await page.goto(`${filled.url}/events?resource=kitchen.south`);
  await expect(page.getByText('No event matches these filters')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filters' }).last().click();
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  await page.goto(`${filled.url}/events?q=ada`);
  await page.getByRole('link', { name: 'kitchen.opened' }).click();
  await expect(page.getByRole('heading', { name: 'kitchen.opened' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Payload' }).first()).toContainText('ada');
  await look(page, 'event');
});

test('an event appears while the page is open @postgres @proxy', async ({ page, filled }) => {
  const name = `live.${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${filled.url}/events?event=${name}`);
  await expect(page.getByText('No event matches these filters')).toBeVisible();
  await page.request.post(`${filled.api}/events`, {
    data: [
      {
        id: crypto.randomUUID(),
        occurred: new Date().toISOString(),
        event: name,
        resource: { 'prefect.resource.id': 'live.1' },
      },
    ],
  });
  await expect(page.getByRole('link', { name })).toBeVisible();

  // While the pointer is on the table, its rows do not move.
  await page.getByRole('row').nth(1).hover();
  await page.request.post(`${filled.api}/events`, {
    data: [
      {
        id: crypto.randomUUID(),
        occurred: new Date().toISOString(),
        event: `${name}.later`,
        resource: { 'prefect.resource.id': 'live.1' },
      },
    ],
  });
  await expect(page.getByText('1 new')).toBeVisible();
  await expect(page.getByRole('link', { name: `${name}.later` })).toBeHidden();
  await page.getByRole('heading', { name: 'Events' }).hover();
  await expect(page.getByRole('link', { name: `${name}.later` })).toBeVisible();
});

test('the address that the client prints for an event opens it, and a missing event is reported', async ({
  page,
  filled,
  allowed,
}) => {
  await page.goto(`${filled.url}/events/event/${filled.seeded.event}`);
  await expect(page.getByRole('region', { name: 'JSON', exact: true })).toBeVisible();
  allowed.statuses.push(404);
  await page.goto(`${filled.url}/events/event/2026-01-01/3fa85f64-5717-4562-b3fc-2c963f66afa6`);
  await expect(page.getByText('It was deleted or never existed')).toBeVisible();
});
