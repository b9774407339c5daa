/** The palette: no letter is lost, what it offers first, and where it leads when nothing has the text. */
import type { Page } from '@playwright/test';
import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { isAccessible } from './look.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const field = (page: Page) => palette(page).getByRole('combobox', { name: 'Search everything' });
const options = (page: Page) => palette(page).getByRole('option');

/** Opens a page that has loaded nothing of the palette's results, and waits until it can be used. */
async function openCold(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
}

/** Sends keys of the browser's own input, without waiting for the answer of each. */
async function press(page: Page, text: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const sent: Promise<unknown>[] = [];
  const send = (type: 'keyDown' | 'keyUp', key: string, modifiers: number) =>
    sent.push(
      session.send('Input.dispatchKeyEvent', {
        type,
        key,
        modifiers,
        code: `Key${key.toUpperCase()}`,
        windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0),
        ...(type === 'keyDown' && modifiers === 0 ? { text: key } : {}),
      }),
    );
  for (const [key, modifiers] of [['k', 2] as const, ...[...text].map((letter) => [letter, 0] as const)]) {
    send('keyDown', key, modifiers);
    send('keyUp', key, modifiers);
  }
  await Promise.all(sent);
  await session.detach();
}

test('no letter after Ctrl K is lost, and none navigates, on a page that was just opened @quick', async ({
  browser,
  filled,
}) => {
  // Each begins with letters that mean something on a page: g and a place, x, j.
  const texts = ['gateway', 'grape', 'xray', 'jkx', 'gr', 'gagd', 'reports', 'glossary', 'ghosts', 'keys'];
  for (const text of texts) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await openCold(page, `${filled.url}/flows`);
    await press(page, text);
    await expect(field(page)).toHaveValue(text);
    await expect(page).toHaveURL(/\/flows$/);
    await context.close();
  }
});

test('no letter after Ctrl K is lost while the page is busy and the results never load', async ({ page, filled }) => {
  await page.route(/palette-list/, () => new Promise(() => {}));
  await openCold(page, `${filled.url}/flows`);
  await page.evaluate(() => {
    setTimeout(() => {
      let sum = 0;
      for (let step = 0; step < 1_000_000_000; step++) sum += step;
      return sum;
    });
  });
  await press(page, 'gateway');
  await expect(field(page)).toHaveValue('gateway');
  await expect(page).toHaveURL(/\/flows$/);
  await page.unrouteAll();
});

test('a key of a shortcut that has begun ends with Ctrl K', async ({ page, filled }) => {
  await openCold(page, `${filled.url}/flows`);
  await page.keyboard.press('g');
  await press(page, 'a');
  await expect(field(page)).toHaveValue('a');
  await page.keyboard.press('Escape');
  await expect(field(page)).toBeHidden();
  await page.keyboard.press('a');
  await expect(page).toHaveURL(/\/flows$/);
});

test('Enter waits for the results of what was typed', async ({ page, filled }) => {
  let answer = () => {};
  const isAllowed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/views/search**', async (route) => {
    await isAllowed;
    await route.continue();
  });
  await openCold(page, filled.url);
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText(filled.seeded.scheduledRun);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Searching…')).toBeVisible();
  answer();
  await expect(page).toHaveURL(new RegExp(`/runs/flow-run/${filled.seeded.scheduledRun}`));
  await expect(field(page)).toBeHidden();
});

test('the actions of the page come first with their keys, which also work on the page', async ({ page, filled }) => {
  await page.goto(`${filled.url}/deployments`);
  await page.getByRole('table', { name: 'Deployments' }).getByRole('link').first().click();
  await expect(page.getByRole('link', { name: 'Run', exact: true })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(options(page).first()).toContainText('Run this deployment…');
  await expect(options(page).first().locator('kbd')).toHaveText('r');
  // Nothing is chosen before something is typed, so Enter does not act.
  await expect(palette(page).getByRole('option', { selected: true })).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(field(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await expect(page).toHaveURL(/\/run$/);
});

test('what was opened last comes next, and is forgotten when it no longer exists', async ({
  page,
  filled,
  allowed,
}) => {
  allowed.statuses.push(404);
  await page.goto(`${filled.url}/runs/flow-run/${filled.seeded.run}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('seeded-run');
  await page.goto(`${filled.url}/flows`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const recent = options(page).first();
  await expect(recent).toContainText('seeded-run');
  await expect(recent).toContainText('Flow run');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(filled.seeded.run));
  const { id } = await post(filled.api, '/flows/', { name: 'soon-deleted' });
  const address = `${filled.url}/flows/flow/${id}`;
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('soon-deleted');
  expect((await fetch(`${filled.api}/flows/${id}`, { method: 'DELETE' })).ok).toBe(true);
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Flow not found');
  await page.goto(`${filled.url}/flows`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Flows');
  await page.keyboard.press('Control+k');
  await expect(options(page).first()).toContainText('seeded-run');
  await expect(options(page).filter({ hasText: 'soon-deleted' })).toHaveCount(0);
  await isAccessible(page, 'the palette');
});

test('a text that nothing has leads to what is near, and to runs', async ({ page, filled }) => {
  await openCold(page, filled.url);
  const find = async (text: string) => {
    await page.keyboard.press('Control+k');
    await field(page).fill(text);
  };
  await find('deplyoments');
  await expect(options(page).first()).toContainText('Deployments');
  await page.keyboard.press('Escape');
  await find('failed runs');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs\?state=failed$/);
  await find('state:late flow');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/runs\?state=late$/);
  await find('nothing-has-this');
  await expect(options(page)).toHaveText(['Runs with nothing-has-this in their namesFilter']);
});

test('an object that does not exist leads to its list and to the search', async ({ page, filled, allowed }) => {
  allowed.statuses.push(404, 422);
  const absent = '019aa000-0000-7000-8000-000000000000';
  for (const [path, kind, list] of [
    [`/runs/flow-run/${absent}`, 'flow run', 'Runs'],
    [`/runs/task-run/${absent}`, 'task run', 'Task runs'],
    [`/flows/flow/${absent}`, 'flow', 'Flows'],
    [`/deployments/deployment/${absent}`, 'deployment', 'Deployments'],
    [`/deployments/deployment/${absent}/run`, 'deployment', 'Deployments'],
    ['/work-pools/work-pool/absent', 'work pool', 'Work pools'],
    [`/work-queues/work-queue/${absent}`, 'work queue', 'Work pools'],
    [`/concurrency-limits/concurrency-limit/${absent}`, 'concurrency limit', 'Concurrency'],
    [`/automations/automation/${absent}`, 'automation', 'Automations'],
    [`/blocks/block/${absent}`, 'block', 'Blocks'],
    [`/artifacts/artifact/${absent}`, 'artifact', 'Artifacts'],
    ['/runs/flow-run/no-id', 'flow run', 'Runs'],
  ] as const) {
    await test.step(path, async () => {
      await page.goto(filled.url + path);
      const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found`;
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      await expect(page).toHaveTitle(`${title} · Signalbox`);
      await expect(page.getByText('It was deleted or never existed')).toBeVisible();
      await expect(page.getByRole('link', { name: `Go to ${list}`, exact: true })).toBeVisible();
    });
  }
  await page.getByRole('button', { name: 'Search' }).last().click();
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Go to Runs' }).click();
  await expect(page).toHaveURL(/\/runs$/);
});
