/** Checks of the whole application: its size, its stream, its keyboard shortcuts and its search. */
import { expect, test } from './fixtures.ts';
import { soon } from './soon.ts';

const MOST_SCRIPT_BYTES = 250 * 1024;
const MOST_CALLS = 4;

test('the first page makes four API requests at most and loads 250 kB of script at most', async ({ page, filled }) => {
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

/** A change is on the screen so soon after its answer. */
const LIVE_MILLISECONDS = 1000;

test('a new run and its states appear at once @quick @postgres @proxy', async ({ page, filled }) => {
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
  await expect(row).toBeVisible(soon(LIVE_MILLISECONDS));
  await send(`/flow_runs/${created.id}/set_state`, { state: { type: 'RUNNING' }, force: true });
  await expect(row.getByText('Running')).toBeVisible(soon(LIVE_MILLISECONDS));
  await row.getByRole('link', { name: 'live-run' }).click();
  const state = page.getByRole('main').getByText('Running', { exact: true }).first();
  await expect(state).toBeVisible();
  await send(`/flow_runs/${created.id}/set_state`, { state: { type: 'COMPLETED' }, force: true });
  const completed = page.getByRole('main').getByText('Completed', { exact: true }).first();
  await expect(completed).toBeVisible(soon(LIVE_MILLISECONDS));
  await fetch(`${filled.api}/flow_runs/${created.id}`, { method: 'DELETE' });
});

test('without the server the page shows since when it is not live, and it recovers', async ({
  page,
  startEmpty,
  allowed,
}) => {
  allowed.isServerAway = true;
  // A server that is shutting down says so to clients that reconnect.
  allowed.statuses.push(503);
  const server = await startEmpty();
  await page.goto(server.url);
  const mark = page.getByRole('navigation', { name: 'Main' });
  await expect(mark.getByText('Live')).toBeVisible();
  await expect(page.getByRole('region', { name: 'The first flow' })).toBeVisible();
  await server.stop();
  await expect(mark.getByText(/as of/i)).toBeVisible();
  await expect(page.getByText('No flow has run here yet')).toBeVisible();
  await startEmpty({ SIGNALBOX_PORT: new URL(server.url).port });
  await expect(mark.getByText('Live')).toBeVisible();
});

test('the palette finds pages, names and ids @quick', async ({ page, filled }) => {
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const find = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(text);
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

test('the palette filters runs, begins new objects, and does what the page offers', async ({ page, filled }) => {
  const choose = async (text: string, option: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(text);
    await page.getByRole('option').filter({ hasText: option }).click();
  };
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await choose('state:fail', 'Runs with state Failed');
  await expect(page).toHaveURL(/\/runs\?state=failed$/);
  await choose('new vari', 'New variable');
  await expect(page.getByRole('dialog', { name: 'New variable' })).toBeVisible();
  await page.goto(`${filled.url}/runs/flow-run/${filled.seeded.scheduledRun}`);
  await expect(page.getByRole('button', { name: 'Cancel', exact: true })).toBeVisible();
  await choose('cancel run', 'Cancel this run…');
  await expect(page.getByText('Cancel the run seeded-later?')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto(`${filled.url}/runs`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('cancel this');
  await expect(page.getByRole('option').filter({ hasText: 'Cancel this run' })).toHaveCount(0);
});

test('keyboard shortcuts move through a table, and none fires while the user types', async ({ page, filled }) => {
  await page.goto(filled.url);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('failed');
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page).toHaveURL(/\/runs$/);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('/');
  const filter = page.locator('[data-filter]');
  await expect(filter).toBeFocused();
  await filter.pressSequentially('seeded-gr?');
  await filter.press('Enter');
  await expect(page).toHaveURL(/name=seeded-gr/);
  await filter.press('Backspace');
  await expect(page).toHaveURL(/\/runs$/);
  await filter.blur();
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs\/flow-run\//);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
});
