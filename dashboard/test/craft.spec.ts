/** What holds for the whole application: its weight, its stream, its keys, its search, and every link of it. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const MOST_SCRIPT_BYTES = 250 * 1024;
const MOST_CALLS = 4;

test('the first page asks the API four times at most and loads 250 kB of script at most', async ({ page, filled }) => {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.includes('/api/')) calls.push(request.url());
  });
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  const scripts = new Set<string>();
  let bytes = 0;
  client.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('failed');
  expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(MOST_CALLS);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(MOST_SCRIPT_BYTES);
});

test('a new run and its states appear at once @postgres @proxy', async ({ page, filled }) => {
  await page.goto(`${filled.url}/runs?name=live-run`);
  await expect(page.getByRole('navigation', { name: 'Main' }).getByText('Live')).toBeVisible();
  await expect(page.getByText('No run matches these filters')).toBeVisible();
  const headers = { 'content-type': 'application/json' };
  const send = async (path: string, body: object) => {
    const answer = await fetch(filled.api + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { id: string };
  };
  const created = await send('/flow_runs/', {
    name: 'live-run',
    flow_id: filled.seeded.flow,
    state: { type: 'PENDING' },
  });
  const row = page.getByRole('row').filter({ hasText: 'live-run' });
  await expect(row).toBeVisible({ timeout: 2000 });
  await send(`/flow_runs/${created.id}/set_state`, { state: { type: 'RUNNING' }, force: true });
  await expect(row.getByText('Running')).toBeVisible({ timeout: 2000 });
  await fetch(`${filled.api}/flow_runs/${created.id}`, { method: 'DELETE' });
});

test('without the server the page says since when it is not live, and comes back', async ({
  page,
  startEmpty,
  allowed,
}) => {
  allowed.isServerAway = true;
  // A server that stops says so to those who connect again meanwhile.
  allowed.statuses.push(503);
  const server = await startEmpty();
  await page.goto(server.url);
  const mark = page.getByRole('navigation', { name: 'Main' });
  await expect(mark.getByText('Live')).toBeVisible();
  await server.stop();
  await expect(mark.getByText(/as of/i)).toBeVisible({ timeout: 5000 });
  await expect(page.getByText('No flow has run here yet')).toBeVisible();
  await startEmpty({ SIGNALBOX_PORT: new URL(server.url).port });
  await expect(mark.getByText('Live')).toBeVisible();
});

test('the palette finds pages, names and ids', async ({ page, filled }) => {
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const find = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name or id' }).fill(text);
  };
  await find('seeded-run');
  await page.getByRole('option').filter({ hasText: 'seeded-run' }).first().click();
  await expect(page).toHaveURL(new RegExp(`/runs/flow-run/${filled.seeded.run}`));
  await find(filled.seeded.scheduledRun);
  await page.getByRole('option').filter({ hasText: 'seeded-later' }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/flow-run/${filled.seeded.scheduledRun}`));
  await find('runs');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs$/);
});

test('keys move through a table, and none works while something is typed', async ({ page, filled }) => {
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('failed');
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.getByRole('link', { name: 'seeded-run' })).toBeVisible();
  await page.keyboard.press('/');
  const filter = page.locator('[data-filter]');
  await expect(filter).toBeFocused();
  await filter.pressSequentially('seeded-gr?');
  await expect(page).toHaveURL(/name=seeded-gr/);
  await filter.fill('');
  await filter.blur();
  await expect(page.getByRole('link', { name: 'seeded-run' })).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs\/flow-run\//);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
});

/** Pages that a reader can reach; of addresses that differ in an id only, a few. */
const MOST_OF_A_KIND = 3;

test('every link leads to a page, and texts of users stay texts', async ({ page, filled }) => {
  test.setTimeout(240_000);
  const seen = new Map<string, number>();
  const visited = new Set<string>();
  const waiting = [new URL(filled.url).pathname];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = path
      .split('?')[0]
      ?.replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}/g, '…')
      .replace(/^\/(\w[-\w]*\/[-\w]+)\/.*/, '$1/…');
    const count = seen.get(kind ?? '') ?? 0;
    if (visited.has(path) || count >= MOST_OF_A_KIND) continue;
    visited.add(path);
    seen.set(kind ?? '', count + 1);
    await test.step(path, async () => {
      await page.goto(new URL(path, filled.url).href);
      await expect(page.locator('h1').first()).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      await expect(page.getByText('Page not found')).toHaveCount(0);
      await expect(page.getByText('There is nothing here')).toHaveCount(0);
      waiting.push(...(await linksOf(page, filled.url)));
    });
  }
  expect(visited.size).toBeGreaterThan(6);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
});

async function linksOf(page: Page, url: string): Promise<string[]> {
  const addresses = await page.$$eval('main a[href], nav a[href]', (links) =>
    links.map((link) => (link as HTMLAnchorElement).href),
  );
  expect(addresses.filter((address) => /^(javascript|data|vbscript):/i.test(address))).toEqual([]);
  const pages = addresses.filter((address) => address.startsWith(url) && !/\/(api|docs|sign-out)\b/.test(address));
  return pages.map((address) => {
    const { pathname, search } = new URL(address);
    return pathname + search;
  });
}
