/** Pages on paper, and pages that somebody has zoomed. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { post } from './call.ts';
import { expect, type FilledServer, test } from './fixtures.ts';
import { picturesFolder } from './look.ts';

/** An A4 page at 96 pixels to the inch, without its margins. */
const paper = { width: 718, height: 1047 };
/** A window of 1280 × 800 pixels at 200 %. */
const zoomed = { width: 640, height: 400 };

async function failedRun({ api }: FilledServer): Promise<string> {
  const body = { limit: 1, flow_runs: { state: { type: { any_: ['FAILED'] } } } };
  const [run] = await post<{ id: string }[]>(api, '/flow_runs/filter', body);
  return run?.id ?? '';
}

async function keepPicture(page: Page, name: string): Promise<void> {
  await mkdir(picturesFolder, { recursive: true });
  await page.screenshot({ path: join(picturesFolder, `${name}.png`), fullPage: true });
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.locator('h1').first()).toBeVisible();
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
}

const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test('runs, a run and an automation are printed on light paper, without menus and buttons', async ({
  page,
  filled,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(paper);
  const pages = {
    runs: '/runs?span=7d',
    run: `/runs/flow-run/${await failedRun(filled)}`,
    automation: `/automations/automation/${filled.seeded.automation}`,
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.emulateMedia({ media: 'screen' });
    await open(page, filled.url + path);
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('html[data-theme="light"]')).toBeAttached();
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'More', exact: true })).toBeHidden();
    await expect(page.getByRole('tab').first()).toBeHidden();
    const free = await page.evaluate(() => document.documentElement.clientWidth);
    const box = await page.getByRole('main').boundingBox();
    expect(box?.width, `${name}: the page takes the whole width`).toBe(free);
    expect(await isTooWide(page), `${name} is wider than the paper`).toBe(false);
    await keepPicture(page, `print-${name}`);
  }
});

const places = [
  '/',
  '/inbox',
  '/runs?span=7d',
  '/runs?tab=task-runs',
  '/logs',
  '/flows',
  '/deployments',
  '/schedule',
  '/work-pools',
  '/work-pools/work-pool/seeded-pool',
  '/concurrency',
  '/automations',
  '/automations/create',
  '/events',
  '/blocks',
  '/variables',
  '/artifacts',
  '/catalog',
  '/servers',
  '/settings',
];

test('at 200 % no page scrolls sideways and none loses its title', async ({ page, filled }) => {
  test.setTimeout(180_000);
  await page.setViewportSize(zoomed);
  const { run, deployment, flow, automation } = filled.seeded;
  const objects = [
    `/runs/flow-run/${run}`,
    `/runs/flow-run/${run}?view=graph`,
    `/runs/flow-run/${await failedRun(filled)}`,
    `/deployments/deployment/${deployment}`,
    `/flows/flow/${flow}`,
    `/automations/automation/${automation}`,
  ];
  for (const path of [...places, ...objects]) {
    await test.step(path, async () => {
      await open(page, filled.url + path);
      await expect(page.locator('h1').first()).toBeInViewport();
      expect(await isTooWide(page), `${path} scrolls sideways`).toBe(false);
    });
  }
  await open(page, `${filled.url}/runs/flow-run/${await failedRun(filled)}`);
  await keepPicture(page, 'zoom-run');
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
});
