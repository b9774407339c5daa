/**
 * `npm run test:browser`: checks the pages that the server serves with the system's Chromium. The last line is
 * `N passed, N failed, N skipped`. With `--screenshots <folder>` it keeps a picture of each page; with `--only <text>`
 * it checks only the pages whose name contains the text, with `--quick` only the twenty commonest walks. Playwright tests
 * the pages of the dashboard (`dashboard/test`) in the same run. Prefect's own interfaces come from the Python environment of the scenarios (`npm run test:prefect`),
 * which is created when it is missing.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../../src/config.ts';
import { type RunningServer, startServer } from '../../src/process/server.ts';
import { PythonMissing, preparePython } from '../prefect/python.ts';
import { countsLine, printCountsAtEnd, secondTryLine } from '../support/counts.ts';
import { freePort } from '../support/free-port.ts';
import { clientId, clientSecret, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Chromium, findChromium, type Page, startChromium } from './chromium.ts';
import { testDashboard } from './dashboard.ts';
import { type PrefectPage, prefectPages } from './prefect-pages.ts';
import { servePrefectUi } from './prefect-ui.ts';
import { type Seed, seed } from './seed.ts';
import { type Walk, walks } from './walks.ts';

/**
 * No host name resolves: pictures and other files from elsewhere fail at once, here as on a machine without network
 * access.
 */
const NOTHING_LEAVES = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'];
const SHOWN_WITHIN_MILLISECONDS = 8000;
const PAGES_AT_ONCE = 3;
/** In the titles of the commonest walks, which belong to the quick run. */
const QUICK = '@quick';

/** Brightness of the background of the text, from 0 to 255. */
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
  ...['/docs', '/api/docs'].map(
    (path): Look => ({
      name: `${path} shows the routes and tries one`,
      path,
      async check(page) {
        const tag = 'document.querySelector(\'[data-tag="Root"] button\')';
        const operation = 'document.querySelector("#operations-Root-health_check_health_get")';
        await page.click(tag);
        for (const button of ['button', '.try-out__btn', '.execute']) {
          await page.click(`${operation}?.querySelector("${button}")`);
        }
        const status = `${operation}.querySelector(".live-responses-table .response .response-col_status")`;
        await page.until(status);
        assert.match(await page.evaluate<string>(`${status}.textContent`), /200/);
      },
    }),
  ),
  {
    name: '/help finds a setting, and leads to it',
    path: '/help',
    async check(page) {
      await page.until('document.querySelector(".search input")?.checkVisibility()');
      await page.evaluate(`(() => {
        const input = document.querySelector('.search input');
        input.value = 'metrics port';
        input.dispatchEvent(new Event('input'));
      })()`);
      await page.until('document.querySelector("#results a")');
      await page.follow('document.querySelector("#results a").click()');
      assert.match(await page.evaluate('location.href'), /\/help\/settings#signalbox_metrics_port$/);
    },
  },
];

const tally = { passed: 0, failed: 0, skipped: 0 };
const { values } = parseArgs({
  options: {
    screenshots: { type: 'string' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
  },
});
const program = findChromium();
if (program) {
  const stopCounting = printCountsAtEnd(() => tally);
  if (!values.quick) await lookAtAll(program);
  stopCounting();
  // The signal reaches the tests of the dashboard too, and they print their own counts.
  process.once('SIGTERM', () => {});
  const { passed, failed, skipped } = await (values.quick
    ? testDashboard([QUICK], 'sqlite')
    : testDashboard(values.only));
  tally.passed += passed;
  tally.failed += failed;
  tally.skipped += skipped;
} else {
  tally.skipped = looks.length + walks.length;
  console.log('skip  all pages: Chromium is not installed here');
}
console.log(countsLine(tally));
process.exitCode = tally.failed > 0 ? 1 : 0;

async function lookAtAll(chromiumProgram: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
  const port = await freePort();
  const provider = await startIdentityProvider(`http://127.0.0.1:${port}/sign-in/oidc/callback`);
  const mails = await startMailServer();
  const flags = {
    host: '127.0.0.1',
    port: String(port),
    home,
    'log-level': 'silent',
    'oidc-issuer': provider.issuer,
    'oidc-client-id': clientId,
    'oidc-client-secret': clientSecret,
    'oidc-label': 'Example ID',
    'public-url': `http://127.0.0.1:${port}`,
    'smtp-url': `smtp://127.0.0.1:${mails.port}?tls=none`,
    'smtp-from': 'Signalbox <signalbox@example.com>',
  };
  const server = await startServer(readConfig(flags, {}));
  const chromium = await startChromium(chromiumProgram, NOTHING_LEAVES);
  try {
    for (const look of looks) await judge(chromium, look.name, (page) => lookAt(page, look, server.url));
    const seeded = await seed(`${server.url}/api`);
    // Each walk begins where the previous one ended.
    const chosen = walks.some(({ name }) => isChosen(name)) ? walks : [];
    for (const walk of chosen)
      await take(chromium, walk.name, (page) => takeWalk(page, walk, server, { provider, mails }));
    await lookAtPrefect(chromium, server.url, seeded);
  } finally {
    await chromium.stop();
    await server.stop();
    await provider.stop();
    await mails.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** Steps through several pages; each page shown must pass the checks that apply to every page. */
async function takeWalk(
  page: Page,
  walk: Walk,
  server: RunningServer,
  others: { readonly provider: IdentityProvider; readonly mails: MailServer },
): Promise<void> {
  const show = async (name: string) => {
    await page.prefer('light');
    await keepPicture(page, `${name}-light`);
    const light = await page.evaluate<number>(BRIGHTNESS);
    await page.prefer('dark');
    await page.until(`${BRIGHTNESS} < 128`);
    await keepPicture(page, `${name}-dark`);
    assert.ok(light > 200, `the light mode of ${name} has brightness ${light}`);
    const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    assert.equal(await page.evaluate(isWider), false, `${name} is wider than its window`);
  };
  await walk.take({ page, origin: server.url, setUpUrl: server.setUpUrl, ...others, show });
  // Refusals are part of the walks, and so is a terminal that has exited.
  const refusals = /the server responded with a status of 4\d\d|ERR_CONNECTION_REFUSED/;
  assert.deepEqual(
    page.record.complaints.filter((text) => !refusals.test(text)),
    [],
  );
  const { origin } = new URL(server.url);
  const foreign = page.record.requests.filter((url) => new URL(url).origin !== origin);
  assert.deepEqual(
    foreign.filter(
      (url) => !walk.mayCall?.test(url) && !(walk.leavesToProvider && url.startsWith(others.provider.issuer)),
    ),
    [],
  );
}

/** Every page of Prefect's interfaces, with our API behind them. */
async function lookAtPrefect(chromium: Chromium, server: string, seeded: Seed): Promise<void> {
  const python = await preparePython(console.log).catch((error: unknown) => {
    if (!(error instanceof PythonMissing)) throw error;
    tally.skipped += 1;
    console.log(`skip  Prefect's interfaces: ${error.message}`);
    return undefined;
  });
  if (!python) return;
  const ui = await servePrefectUi(python.command, `${server}/api`);
  const pages = (['v1', 'v2'] as const).flatMap((version) =>
    prefectPages(seeded, version).map((page) => ({ page, version })),
  );
  // A page waits more than it computes.
  const queue = pages.values();
  await Promise.all(
    Array.from({ length: PAGES_AT_ONCE }, async () => {
      for (const { page, version } of queue) {
        const name = page.path.replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}/g, '…');
        await judge(chromium, `Prefect ${version} ${name}`, (one) => lookAtPrefectPage(one, page, ui.origin, server));
      }
    }),
  );
  await ui.stop();
}

/** The page shows the expected text, every request to it and to our API succeeds, and its console has no error. */
async function lookAtPrefectPage(page: Page, { path, shows }: PrefectPage, ui: string, server: string): Promise<void> {
  await page.open(ui + path);
  await page.settled();
  for (const text of shows) {
    const isShown = `document.body.innerText.toLowerCase().includes(${JSON.stringify(text.toLowerCase())})`;
    await page.until(isShown, SHOWN_WITHIN_MILLISECONDS).catch(async () => {
      const read = await page.evaluate<string>('document.body.innerText');
      assert.fail(`"${text}" is not shown, but this is: ${read.replaceAll(/\s+/g, ' ').slice(0, 1500)} ${told(page)}`);
    });
  }
  await page.settled();
  await keepPicture(page, path.replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}/g, 'id'));
  const { failures, errors } = page.record;
  const isOurs = (url: string) => url === '' || url.startsWith(ui) || url.startsWith(server);
  assert.deepEqual(
    failures.filter(({ url }) => isOurs(url)),
    [],
  );
  assert.deepEqual(
    errors.filter(({ url }) => isOurs(url)),
    [],
  );
}

function told({ record }: Page): string {
  return JSON.stringify([...record.failures, ...record.errors]).slice(0, 2000);
}

/** A page that fails is looked at once more, since it may be late once while other suites run. */
async function judge(chromium: Chromium, name: string, look: (page: Page) => Promise<void>): Promise<void> {
  if (!isChosen(name)) return;
  const problem = await problemOf(chromium, look);
  if (!problem) return pass(name);
  console.log(`again ${name}\n${problem}`);
  if (await take(chromium, name, look)) console.log(secondTryLine(name));
}

function isChosen(name: string): boolean {
  return values.only?.some((part) => name.includes(part)) ?? true;
}

/** False when it failed. */
async function take(chromium: Chromium, name: string, look: (page: Page) => Promise<void>): Promise<boolean> {
  const problem = await problemOf(chromium, look);
  if (problem) {
    tally.failed += 1;
    console.log(`FAIL  ${name}\n${problem}`);
  } else {
    pass(name);
  }
  return !problem;
}

function pass(name: string): void {
  tally.passed += 1;
  console.log(`ok    ${name}`);
}

async function problemOf(chromium: Chromium, look: (page: Page) => Promise<void>): Promise<string | undefined> {
  const page = await chromium.openPage();
  try {
    await look(page);
    return undefined;
  } catch (error) {
    return String((error as Error).stack).replaceAll(/^/gm, '    | ');
  } finally {
    await page.close();
  }
}

/** The checks for every page: no request to another host, none refused or failed, and a dark mode. */
async function lookAt(page: Page, look: Look, origin: string): Promise<void> {
  await page.prefer('light');
  await page.open(origin + look.path);
  await look.check(page, origin);
  await keepPicture(page, `${look.path}-light`);
  const light = await page.evaluate<number>(BRIGHTNESS);
  await page.prefer('dark');
  await page.until(`${BRIGHTNESS} < 128`);
  await keepPicture(page, `${look.path}-dark`);
  assert.ok(light > 200, `the light mode has brightness ${light}`);
  assert.deepEqual([...new Set(page.record.complaints)], []);
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
