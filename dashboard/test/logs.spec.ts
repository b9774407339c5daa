import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { isAccessible, look } from './look.ts';

interface Sent {
  readonly message: string;
  readonly level?: number;
  readonly run?: string;
  readonly secondsAgo?: number;
}

async function send(page: Page, api: string, lines: readonly Sent[]): Promise<void> {
  const answer = await page.request.post(`${api}/logs/`, {
    data: lines.map(({ message, level = 20, run, secondsAgo = 1 }) => ({
      name: 'prefect.flow_runs',
      level,
      message,
      timestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
      flow_run_id: run ?? null,
    })),
  });
  expect(answer.status()).toBe(201);
}

async function makeRun(page: Page, api: string, flow: string): Promise<string> {
  const { id } = await (await page.request.post(`${api}/flows/`, { data: { name: flow } })).json();
  const state = { type: 'COMPLETED', name: 'Completed' };
  const run = await page.request.post(`${api}/flow_runs/`, { data: { flow_id: id, name: `${flow}-run`, state } });
  return (await run.json()).id;
}

const found = (page: Page) => page.getByRole('log', { name: 'Found lines' }).getByRole('listitem');

test('the logs of all runs are searched by words, and a line opens in its run @quick @postgres', async ({
  page,
  filled,
}) => {
  const word = `zebra${crypto.randomUUID().slice(0, 6)}`;
  const [one, other] = [await makeRun(page, filled.api, `one-${word}`), await makeRun(page, filled.api, `two-${word}`)];
  await send(page, filled.api, [
    ...Array.from({ length: 60 }, (_, index) => ({ message: `step ${index}`, run: one, secondsAgo: 100 - index })),
    { message: `the ${word} is lost, see https://example.com/help?x=1.`, level: 40, run: one, secondsAgo: 10 },
  ]);
  await send(page, filled.api, [{ message: `another ${word}`, run: other, secondsAgo: 5 }]);
  await page.goto(`${filled.url}/runs`);
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Logs' })).toBeVisible();
  await expect(found(page).nth(10)).toBeVisible();
  await look(page, 'logs');
  await page.getByRole('combobox', { name: 'Filter log lines' }).fill(word.slice(0, 8).toUpperCase());
  await page.keyboard.press('Enter');
  await expect(found(page)).toHaveCount(2);
  await expect(found(page).nth(0)).toContainText('another');
  await expect(page).toHaveURL(new RegExp(`q=${word.slice(0, 8)}`, 'i'));
  await page.reload();
  await expect(found(page)).toHaveCount(2);
  await page.getByRole('combobox', { name: 'Least level' }).selectOption('error');
  await expect(found(page)).toHaveCount(1);
  const link = found(page).getByRole('link', { name: 'https://example.com/help?x=1', exact: true });
  await expect(link).toHaveAttribute('href', 'https://example.com/help?x=1');
  await expect(link).toHaveAttribute('rel', /noopener noreferrer/);

  await found(page).getByTitle('Open the line in its run').click();
  await expect(page).toHaveURL(new RegExp(`/runs/flow-run/${one}\\?line=`));
  const shared = page.getByRole('log', { name: 'Logs' }).locator('[aria-current=true]');
  await expect(shared).toContainText(`the ${word} is lost`);
  await expect(shared).toBeInViewport();
  // The address alone shows the same line, and another line can be shared.
  await page.reload();
  await expect(shared).toBeInViewport();
  const address = page.url();
  await page.getByRole('log', { name: 'Logs' }).getByTitle('Put this line into the address').nth(2).click();
  await expect(page).not.toHaveURL(address);
  await expect(shared).toHaveCount(1);
});

test('parts of words are found within a day, and the page says where they are not', async ({
  page,
  filled,
  allowed,
}) => {
  allowed.statuses = [422];
  const id = crypto.randomUUID().slice(0, 6);
  await send(page, filled.api, [{ message: `un${id}able` }]);
  await page.goto(`${filled.url}/logs?q=${id}`);
  await expect(page.getByText('No line matches these filters')).toBeVisible();
  await look(page, 'logs without a match');
  await page.getByRole('combobox', { name: 'Text is found as' }).selectOption('parts');
  await expect(page.getByText('Choose a run, a flow or a day')).toBeVisible();
  await page.getByRole('button', { name: 'Search the last day' }).click();
  await expect(found(page)).toHaveCount(1);
  await expect(found(page)).toContainText(`un${id}able`);
});

test('long lines wrap, and w switches it', async ({ page, filled }) => {
  const id = crypto.randomUUID().slice(0, 6);
  const run = await makeRun(page, filled.api, `long-${id}`);
  await send(page, filled.api, [{ message: `${id} ${'very long line '.repeat(60)}`, run }]);
  const height = async (of: ReturnType<Page['locator']>) => (await of.boundingBox())?.height ?? 0;
  for (const [address, line] of [
    [`/logs?q=${id}`, found(page)],
    [`/runs/flow-run/${run}`, page.getByRole('log', { name: 'Logs' }).locator('[data-index="0"]')],
  ] as const) {
    await page.goto(`${filled.url}${address}`);
    await expect(line).toContainText('very long line');
    await expect.poll(() => height(line)).toBeGreaterThan(50);
    await page.keyboard.press('w');
    await expect.poll(() => height(line)).toBeLessThan(40);
    await page.keyboard.press('w');
    await expect.poll(() => height(line)).toBeGreaterThan(50);
  }
});

test('an empty workspace says how lines come', async ({ page, startEmpty }) => {
  const server = await startEmpty({ SIGNALBOX_LOG_SEARCH_INDEX: 'false' });
  await page.goto(`${server.url}/logs`);
  await expect(page.getByText('No log lines yet')).toBeVisible();
  await expect(page.getByText('This server keeps no index of words')).toBeVisible();
  await look(page, 'logs of an empty workspace');
  await isAccessible(page, 'logs of an empty workspace');
});
