/**
 * `npm run test:browser`: looks at the pages that the server serves with the system's Chromium. The last line is
 * `N passed, N failed, N skipped`. With `--screenshots <folder>` it keeps a picture of each page, light and dark.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { findChromium, type Page, startChromium } from './chromium.ts';

/** Brightness from 0 to 255 of what is behind the text. */
const BRIGHTNESS = `(() => {
  const filled = [document.body, document.documentElement].map((one) => getComputedStyle(one).backgroundColor);
  const color = filled.find((one) => !/, 0\\)$/.test(one)) ?? 'rgb(255, 255, 255)';
  const [red, green, blue] = color.match(/\\d+/g).map(Number);
  return (red + green + blue) / 3;
})()`;

interface Look {
  readonly name: string;
  readonly path: string;
  check(page: Page, origin: string): Promise<void>;
}

const looks: readonly Look[] = [
  {
    name: 'the start page tells the address of the API',
    path: '/',
    async check(page, origin) {
      assert.equal(await page.evaluate('document.querySelector("h1").textContent.trim()'), 'Signalbox');
      const command = await page.evaluate<string>('document.querySelector("pre").textContent');
      assert.equal(command.trim(), `export PREFECT_API_URL=${origin}/api`);
    },
  },
  ...['/docs', '/api/docs'].map(
    (path): Look => ({
      name: `${path} shows the routes and tries one`,
      path,
      async check(page) {
        const tag = 'document.querySelector(\'[data-tag="Root"] button\')';
        const operation = 'document.querySelector("#operations-Root-health_check_health_get")';
        await page.until(tag);
        await page.evaluate(`${tag}.click()`);
        await page.until(operation);
        await page.evaluate(`${operation}.querySelector("button").click()`);
        for (const button of ['.try-out__btn', '.execute']) {
          await page.until(`${operation}.querySelector("${button}")`);
          await page.evaluate(`${operation}.querySelector("${button}").click()`);
        }
        await page.until(`${operation}.querySelector(".live-responses-table .response-col_status")`);
        const status = `${operation}.querySelector(".live-responses-table .response .response-col_status").textContent`;
        assert.match(await page.evaluate<string>(status), /200/);
      },
    }),
  ),
];

const tally = { passed: 0, failed: 0, skipped: 0 };
const { values } = parseArgs({ options: { screenshots: { type: 'string' } } });
const program = findChromium();
if (program) await lookAtAll(program);
else {
  tally.skipped = looks.length;
  console.log('skip  all pages: Chromium is not installed here');
}
console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`);
process.exitCode = tally.failed > 0 ? 1 : 0;

async function lookAtAll(chromiumProgram: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
  const server = await startServer(readConfig({ host: '127.0.0.1', port: '0', home, 'log-level': 'silent' }, {}));
  const chromium = await startChromium(chromiumProgram);
  for (const look of looks) {
    try {
      await lookAt(await chromium.openPage(), look, server.url);
      tally.passed += 1;
      console.log(`ok    ${look.name}`);
    } catch (error) {
      tally.failed += 1;
      console.log(`FAIL  ${look.name}\n${String((error as Error).stack).replaceAll(/^/gm, '    | ')}`);
    }
  }
  await chromium.stop();
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

/** What holds for every page: nothing from elsewhere, nothing refused or broken, and a dark form. */
async function lookAt(page: Page, look: Look, origin: string): Promise<void> {
  await page.prefer('light');
  await page.open(origin + look.path);
  await look.check(page, origin);
  await keepPicture(page, `${look.path}-light`);
  const light = await page.evaluate<number>(BRIGHTNESS);
  await page.prefer('dark');
  await page.until(`${BRIGHTNESS} < 128`);
  await keepPicture(page, `${look.path}-dark`);
  assert.ok(light > 200, `the light form has brightness ${light}`);
  assert.deepEqual(page.record.complaints, []);
  assert.deepEqual(
    page.record.requests.filter((url) => new URL(url).origin !== origin),
    [],
  );
}

async function keepPicture(page: Page, name: string): Promise<void> {
  if (!values.screenshots) return;
  await mkdir(values.screenshots, { recursive: true });
  const file = `${name.replaceAll('/', '_').replace(/^_-/, 'start-').replace(/^_/, '')}.png`;
  await writeFile(join(values.screenshots, file), await page.screenshot());
}
