/** What the lists of runs, task runs and events have in common: filters, time, columns, selection and export. */
import type { Page } from '@playwright/test';
import { post } from './call.ts';
import { expect, test } from './fixtures.ts';
import { isAccessible, look } from './look.ts';

interface Made {
  readonly id: string;
  readonly name: string;
}

async function makeFlow(api: string, name: string): Promise<string> {
  return (await post<Made>(api, '/flows/', { name })).id;
}

function makeRun(api: string, flow_id: string, given: object): Promise<Made> {
  return post<Made>(api, '/flow_runs/', { flow_id, state: { type: 'RUNNING' }, ...given });
}

const filterOf = (page: Page, noun: string) => page.getByRole('combobox', { name: `Filter ${noun}`, exact: true });
const chip = (page: Page, words: string) => page.getByRole('button', { name: `Remove the filter ${words}` });

test('runs are narrowed by keys alone, and the address holds the filters @postgres', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'narrowed-etl');
  await makeRun(filled.api, flow, { name: 'narrow-a', tags: ['prod'] });
  await makeRun(filled.api, flow, { name: 'narrow-b', tags: ['test'], state: { type: 'FAILED' } });
  await page.goto(`${filled.url}/runs`);
  await expect(filterOf(page, 'runs')).toBeVisible();
  await page.keyboard.press('f');
  await expect(filterOf(page, 'runs')).toBeFocused();
  await page.keyboard.type('fl');
  await expect(page.getByRole('option', { name: 'Flow', exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(filterOf(page, 'runs')).toHaveValue('flow:');
  await page.keyboard.type('narrowed');
  await expect(page.getByRole('option', { name: /^narrowed-etl\s*2$/ })).toBeVisible();
  await isAccessible(page, 'the offers of the filter line');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/flow=narrowed-etl/);
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.keyboard.type('-tag:prod');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'Tag is not prod')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'narrow-b' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('link', { name: 'narrow-b' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'narrow-a' })).toBeHidden();
  await look(page, 'runs-narrowed');
  await filterOf(page, 'runs').focus();
  await page.keyboard.press('Escape');
  await chip(page, 'Tag is not prod').click();
  await expect(page.getByRole('row')).toHaveCount(3);
});

test('a filter is typed in one line, and the last chip leaves with Backspace', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'typed flow');
  await makeRun(filled.api, flow, { name: 'typed-a', tags: ['prod'], state: { type: 'FAILED', name: 'TimedOut' } });
  await page.goto(`${filled.url}/runs`);
  await filterOf(page, 'runs').fill('STATE:Failed flow:"typed flow" -tag:dev since:2d');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/span=2d/);
  await expect(page.getByRole('button', { name: 'Time: Last 2 days' })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('row').nth(1)).toContainText('Timed out');
  await expect(page.getByTitle('TimedOut')).toBeVisible();
  await expect(chip(page, 'Subflows is hidden')).toBeVisible();
  await page.keyboard.press('Backspace');
  await expect(chip(page, 'Subflows is hidden')).toBeHidden();
  await page.keyboard.press('Backspace');
  await expect(chip(page, 'Tag is not dev')).toBeHidden();
  await expect(chip(page, 'Flow is typed flow')).toBeVisible();
});

test('an address is read in any case, and what it cannot mean is said, not asked', async ({ page, filled }) => {
  const failed: number[] = [];
  page.on('response', (response) => response.status() === 422 && failed.push(response.status()));
  const scheduled_time = new Date(Date.now() - 3_600_000).toISOString();
  await makeRun(filled.api, await makeFlow(filled.api, 'lateness'), {
    name: 'late-run',
    state: { type: 'SCHEDULED', name: 'Late', state_details: { scheduled_time } },
  });
  await page.goto(`${filled.url}/runs?state=late&span=30d&flow=lateness`);
  await expect(chip(page, 'State is Late')).toBeVisible();
  await expect(page.getByRole('row').nth(1)).toContainText('Late');
  await expect(page.getByRole('row').nth(1)).toContainText(/no worker (in|polls) |no deployment/);
  await page.goto(`${filled.url}/runs?tries=many`);
  await expect(page.getByTitle('Tries takes a number such as 3, >1 or <=5, not “many”.')).toBeVisible();
  await filterOf(page, 'runs').fill('stat:failed');
  await expect(page.getByRole('option', { name: /^state:failed/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(chip(page, 'State is Failed')).toBeVisible();
  expect(failed).toEqual([]);
});

test('subflows are hidden, and a link that asks for runs shows them', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'nesting');
  const parent = await makeRun(filled.api, flow, { name: 'nest-parent' });
  const task = await post<Made>(filled.api, '/task_runs/', {
    flow_run_id: parent.id,
    name: 'stand-in',
    task_key: 'stand-in',
    dynamic_key: '0',
    state: { type: 'RUNNING' },
  });
  await makeRun(filled.api, flow, { name: 'nest-child', parent_task_run_id: task.id });
  await page.goto(`${filled.url}/runs`);
  await expect(page.getByRole('link', { name: 'nest-parent' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'nest-child' })).toBeHidden();
  await chip(page, 'Subflows is hidden').click();
  await expect(page).toHaveURL(/subflow=any/);
  await expect(page.getByRole('link', { name: 'nest-child' })).toBeVisible();
  await page.goto(`${filled.url}/runs?flow=nesting`);
  await expect(page.getByRole('link', { name: 'nest-child' })).toBeVisible();
});

test('a value in a row narrows the list to it, or to everything else', async ({ page, filled }) => {
  const one = await makeFlow(filled.api, 'cell-one');
  const two = await makeFlow(filled.api, 'cell-two');
  for (const flow of [one, two]) await makeRun(filled.api, flow, { name: `cells-${flow.slice(-4)}`, tags: ['cells'] });
  await page.goto(`${filled.url}/runs?tag=cells`);
  await expect(page.getByRole('row')).toHaveCount(3);
  const value = page.getByRole('button', { name: 'cell-one', exact: true });
  const width = (await value.boundingBox())?.width;
  await value.hover();
  await expect(page.getByRole('button', { name: 'Without cell-one' })).toBeVisible();
  expect((await value.boundingBox())?.width, 'the value keeps its width under the pointer').toBe(width);
  await page.getByRole('button', { name: 'Without cell-one' }).click();
  await expect(chip(page, 'Flow is not cell-one')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'cell-two', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Only cell-two' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(chip(page, 'Flow is cell-two')).toBeVisible();
});

test('a time between two moments is chosen, left again, and shared with fixed times', async ({
  page,
  filled,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${filled.url}/events?span=7d`);
  const chart = page.getByRole('img', { name: /^Events over time/ });
  const box = await chart.boundingBox();
  if (!box) throw new Error('The chart is not drawn.');
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/span=2\d\d\d-.+2F2\d\d\d-/);
  await page.getByRole('button', { name: 'Zoom back' }).click();
  await expect(page).toHaveURL(/span=7d/);
  await page.getByRole('button', { name: /^Time:/ }).click();
  await page.getByLabel('Last', { exact: true }).fill('3d');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/span=3d/);
  await page.getByRole('button', { name: 'Copy a link with fixed times' }).click();
  await expect(page.getByText('The link was copied.')).toBeVisible();
  const shared = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  const [start = '', end = ''] = (shared.searchParams.get('span') ?? '').split('/');
  expect(Date.parse(end) - Date.parse(start)).toBe(3 * 86_400_000);
});

test('events have exact times, without those of task runs, and the greatest count stands beside the bars', async ({
  page,
  filled,
}) => {
  test.skip(!filled.seeded.hasFlows, 'no real flows here');
  await page.goto(`${filled.url}/events?span=30d`);
  const table = page.getByRole('table', { name: 'Events' });
  await expect(table.getByRole('cell').first()).toHaveText(/^\d\d \w{3,4} \d\d:\d\d:\d\d\.\d{3}$/);
  await expect(table.getByText(/^prefect\.task-run\./)).toHaveCount(0);
  const overlap = await page.evaluate(() => {
    const bars = [...document.querySelectorAll('figure svg rect')].map((bar) => bar.getBoundingClientRect().right);
    const greatest = document.querySelector('figure svg + span')?.getBoundingClientRect().left ?? 0;
    return Math.max(...bars) - greatest;
  });
  expect(overlap).toBeLessThanOrEqual(0);
  await chip(page, 'Task runs is hidden').click();
  await filterOf(page, 'events').fill('event:prefect.task-run.');
  await page.keyboard.press('Enter');
  await expect(table.getByText(/^prefect\.task-run\./).first()).toBeVisible();
});

test('ids that were made on one day are told apart', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'ids');
  const runs = [await makeRun(filled.api, flow, { name: 'id-a' }), await makeRun(filled.api, flow, { name: 'id-b' })];
  const shown: string[] = [];
  for (const { id } of runs) {
    await page.goto(`${filled.url}/runs/flow-run/${id}?tab=details`);
    const short = page.getByTitle(id, { exact: true }).first();
    await expect(short).toHaveText(id.slice(-8));
    shown.push((await short.textContent()) ?? '');
  }
  expect(shown[0]).not.toBe(shown[1]);
});

test('columns are as wide as their content, are resized by keys, and stay so', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'a-flow-with-a-rather-long-name');
  await makeRun(filled.api, flow, {
    name: 'waits-for-a-slot',
    state: { type: 'SCHEDULED', name: 'AwaitingConcurrencySlot' },
  });
  await page.goto(`${filled.url}/runs?flow=a-flow-with-a-rather-long-name`);
  const row = page.getByRole('row').nth(1);
  await expect(row).toContainText('Waits for slot');
  expect(await cutCells(page), 'at 1440 nothing is cut').toEqual([]);
  const edge = page.getByRole('separator', { name: 'Width of the column Flow' });
  const heading = page.getByRole('columnheader', { name: 'Flow', exact: true });
  const before = (await heading.boundingBox())?.width ?? 0;
  await edge.focus();
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await heading.boundingBox())?.width).toBeLessThan(before - 60);
  await page.reload();
  await expect(row).toContainText('Waits for slot');
  await expect.poll(async () => (await heading.boundingBox())?.width).toBeLessThan(before - 60);
  const flowCell = row.getByRole('button', { name: 'a-flow-with-a-rather-long-name', exact: true });
  await flowCell.hover();
  await expect(flowCell).toHaveAttribute('title', 'a-flow-with-a-rather-long-name');
  await edge.focus();
  await page.keyboard.press('Home');
  await expect.poll(async () => (await heading.boundingBox())?.width).toBeGreaterThan(before - 5);
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect(page.getByRole('columnheader', { name: 'Reason', exact: true })).toBeVisible();
  const end = await page
    .getByRole('columnheader', { name: 'Reason', exact: true })
    .evaluate((element) => element.getBoundingClientRect().right);
  expect(end).toBeLessThanOrEqual(1024);
});

/** The texts of cells that are cut off. */
function cutCells(page: Page): Promise<string[]> {
  return page.$$eval('[role=cell], [role=cell] *', (elements) =>
    elements
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      .map((element) => element.textContent),
  );
}

test('on a phone a run has its name first and its reason below', async ({ page, filled }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const flow = await makeFlow(filled.api, 'phone-rows');
  const state = { type: 'FAILED', message: 'The disk was full' };
  await makeRun(filled.api, flow, { name: 'phone-run', state });
  await page.goto(`${filled.url}/runs?flow=phone-rows`);
  const name = await page.getByRole('link', { name: 'phone-run' }).boundingBox();
  const reason = await page.getByText('The disk was full').boundingBox();
  if (!name || !reason) throw new Error('The row is not drawn.');
  expect(name.x).toBeLessThan(80);
  expect(reason.y).toBeGreaterThan(name.y + 10);
});

test('rows are selected with the keyboard and in ranges', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'ranges');
  for (let index = 0; index < 5; index += 1) await makeRun(filled.api, flow, { name: `range-${index}` });
  await page.goto(`${filled.url}/runs?flow=ranges`);
  await expect(page.getByRole('row')).toHaveCount(6);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(page.getByText('1 run selected')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select row 4' }).click({ modifiers: ['Shift'] });
  await expect(page.getByText('4 runs selected')).toBeVisible();
  // The focus is in a checkbox, which takes no letter.
  await page.keyboard.press('c');
  await expect(page.getByRole('dialog', { name: 'Cancel 4 runs?' })).toBeVisible();
});

test('what is shown is exported', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'exported');
  await makeRun(filled.api, flow, { name: 'export-a', tags: ['kept'] });
  await makeRun(filled.api, flow, { name: 'export-b' });
  await page.goto(`${filled.url}/runs?flow=exported&tag=kept`);
  await expect(page.getByRole('row')).toHaveCount(2);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('runs.csv');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  expect(text).toContain('export-a');
  expect(text).not.toContain('export-b');
});

test('a saved view is a tab with its number of runs', async ({ page, filled }) => {
  const flow = await makeFlow(filled.api, 'viewed');
  await makeRun(filled.api, flow, { name: 'view-a' });
  await makeRun(filled.api, flow, { name: 'view-b' });
  await page.goto(`${filled.url}/runs?flow=viewed`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Save this view as').fill('My runs');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.keyboard.press('Escape');
  const tab = page.getByRole('navigation', { name: 'Lists of runs' }).getByRole('link', { name: /^My runs/ });
  await expect(tab).toHaveText('My runs 2');
  await expect(tab).toHaveAttribute('aria-current', 'page');
  await page.getByRole('link', { name: 'Flow runs' }).click();
  await expect(page).not.toHaveURL(/flow=/);
  await tab.click();
  await expect(page).toHaveURL(/flow=viewed/);
});

test('lists do not jump while they load', async ({ page, filled }) => {
  await page.addInitScript(() => {
    const sums = window as unknown as { shift: number };
    sums.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) sums.shift += entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    for (const path of ['/runs?span=30d', '/runs?tab=task-runs&span=30d', '/events?span=30d']) {
      await page.goto(filled.url + path);
      await expect(page.getByRole('row').nth(1)).toBeVisible();
      await expect(page.getByRole('img', { name: /over time/ })).toBeVisible();
      const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
      console.log(`${path} at ${size.width}: a layout shift of ${shift.toFixed(4)}`);
      expect(shift, `${path} at ${size.width}`).toBeLessThanOrEqual(0.02);
    }
  }
});
