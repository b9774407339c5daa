import { expect, test } from './fixtures.ts';
import { look } from './look.ts';

test('an empty server says how to run a first flow', async ({ page, startEmpty }) => {
  const server = await startEmpty();
  await page.goto(server.url);
  await expect(page.getByText('No flow has run here yet')).toBeVisible();
  await look(page, 'home-empty');
  await page.goto(`${server.url}/runs`);
  await expect(page.getByText('No runs in this time')).toBeVisible();
  await look(page, 'runs-empty');
});

test('home shows what failed and why, what waits and what comes next @postgres @proxy', async ({ page, filled }) => {
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('failed');
  await expect(page.getByText('ZeroDivisionError')).toBeVisible();
  await look(page, 'home');
});

test('runs are filtered by the address and open from the table @postgres @proxy', async ({ page, filled }) => {
  await page.goto(`${filled.url}/runs`);
  await expect(page.getByRole('link', { name: 'seeded-run' })).toBeVisible();
  await look(page, 'runs');
  await page.goto(`${filled.url}/runs?state=CRASHED`);
  await expect(page.getByText('No run matches these filters')).toBeVisible();
  await page.goto(`${filled.url}/runs?flow=seeded-flow`);
  await page.getByRole('link', { name: 'seeded-run' }).click();
  await expect(page.getByRole('heading', { name: 'seeded-run' })).toBeVisible();
  await look(page, 'flow-run');
});

test('a failed run opens on why it failed', async ({ page, filled }) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  await page.goto(`${filled.url}/runs?flow=daily-report&state=FAILED`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByText('ZeroDivisionError').first()).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'Why it failed' }).getByText('return sum(rows) / by', { exact: true }),
  ).toBeVisible();
  await look(page, 'flow-run-failed');
});

test('a run that does not exist is told apart from an error', async ({ page, filled, allowed }) => {
  allowed.statuses.push(404);
  await page.goto(`${filled.url}/runs/flow-run/3fa85f64-5717-4562-b3fc-2c963f66afa6`);
  await expect(page.getByText('There is nothing here')).toBeVisible();
  await look(page, 'flow-run-missing');
});

test('an address without a page says so', async ({ page, filled, allowed }) => {
  allowed.statuses.push(404);
  await page.goto(`${filled.url}/nowhere`);
  await expect(page.getByText('Page not found')).toBeVisible();
});
