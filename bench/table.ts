/**
 * Measures the list of runs in Chromium with thousands of rows loaded, while it is scrolled, moved through by keys,
 * selected and filtered: the frames, the tasks of more than 50 ms, and the longest time that one task had the processor.
 * Ends with code 1 when that is more than 100 ms.
 *
 *   node bench/seed.ts --database-url sqlite:/path/signalbox.db --runs 12000
 *   npm start -- --database-url sqlite:/path/signalbox.db
 *   node bench/table.ts --url http://127.0.0.1:4200
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the dashboard has it.
import { chromium, type Page } from '@playwright/test';
import { type Frames, framesOf, longestTaskOf, textOfFrames } from './frames.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4200' },
    rows: { type: 'string', default: '5000' },
  },
});
const rows = Number(values.rows);
const MOST_MILLISECONDS = 100;

const browser = await chromium.launch({
  executablePath: process.env['SIGNALBOX_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let longest = 0;
try {
  // The page's content policy blocks code from strings, which the measurements need.
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  await page.goto(`${values.url}/runs?span=30d`);
  await page.getByRole('table', { name: 'Flow runs' }).waitFor();
  const all = page.getByRole('checkbox', { name: 'Select all rows that are loaded' });
  const failed = page.getByRole('button', { name: 'Failed', exact: true });
  const name = page.getByRole('searchbox', { name: 'Runs by name or id' });
  const actions: Record<string, () => Promise<void>> = {
    [`load ${rows} rows`]: () => load(page),
    'wheel up': () => wheel(page, -600),
    'wheel down': () => wheel(page, 600),
    'far jumps': () => jump(page),
    'j key': () => press(page),
    'select all, then none': async () => {
      await all.check();
      await all.uncheck();
    },
    'filter by state': async () => {
      await failed.click();
      await settled(page, /state=FAILED/);
      await failed.click();
      await settled(page, /span=30d$/);
    },
    'filter by name': async () => {
      await name.pressSequentially('brave-otter', { delay: 30 });
      await settled(page, /name=brave-otter/);
      await name.fill('');
      await settled(page, /span=30d$/);
    },
  };
  console.log(`load ${loadavg()[0]?.toFixed(1)} before`);
  for (const [title, act] of Object.entries(actions)) {
    let frames: Frames | undefined;
    const most = await longestTaskOf(page, async () => {
      frames = await framesOf(page, act);
    });
    longest = Math.max(longest, most);
    if (frames) console.log(`${title}: at most ${most} ms on the processor; ${textOfFrames(frames)}`);
  }
  console.log(`longest task ${longest} ms on the processor; load ${loadavg()[0]?.toFixed(1)} after`);
} finally {
  await browser.close();
}
if (longest > MOST_MILLISECONDS) process.exitCode = 1;

/** Scrolls to the end until the table has the rows. */
async function load(page: Page): Promise<void> {
  const loaded = `(scrollTo(0, document.body.scrollHeight),
    Number(document.querySelector('[role=table]')?.getAttribute('aria-rowcount')) >= ${rows})`;
  await page.waitForFunction(loaded, undefined, { polling: 50, timeout: 120_000 });
}

async function wheel(page: Page, pixels: number): Promise<void> {
  await page.mouse.move(700, 500);
  for (let step = 0; step < 150; step++) await page.mouse.wheel(0, pixels);
}

/** To far places, as a drag of the scrollbar does. */
async function jump(page: Page): Promise<void> {
  for (let step = 0; step < 40; step++) {
    await page.evaluate(`new Promise((done) => {
      scrollTo(0, document.body.scrollHeight * ${((step * 37) % 100) / 100});
      requestAnimationFrame(() => setTimeout(done));
    })`);
  }
}

async function press(page: Page): Promise<void> {
  for (let step = 0; step < 60; step++) await page.keyboard.press('j');
}

/** Until the address is so, and the list has been read. */
async function settled(page: Page, url: RegExp): Promise<void> {
  await page.waitForURL(url);
  await page.waitForTimeout(500);
}
