/** The pages of people and MCP servers at the width of a phone, with names as long as people's names are. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FilledServers, fillServers, organization, password } from './fill/servers.ts';
import { expect, test } from './fixtures.ts';
import { isAccessible } from './look.ts';
import { HOSTING, type RunningServer, startServer } from './running-server.ts';

const longName = 'Bartholomew Featherstonehaugh-Cholmondeley';
const longEmail = 'bartholomew.featherstonehaugh@department.example.com';
const invited = 'wolfeschlegelsteinhausenbergerdorff@department.example.com';

const pages = [
  '/account',
  '/account?tab=keys',
  '/account?tab=sessions',
  '/people',
  '/people?tab=invitations',
  '/people?tab=service-accounts',
  '/workspaces',
  '/catalog',
  '/catalog/documents',
  '/servers',
  '/servers/new?kind=external',
  '/servers/new?kind=remix',
  '/servers/documents',
  '/servers/documents?tab=capabilities',
  '/servers/documents?tab=access',
  '/servers/documents?tab=policy',
  '/servers/documents?tab=try',
  '/servers/documents?tab=settings',
  '/servers/customers?tab=builds',
  '/requests',
  '/audit',
  '/settings',
];

let server: RunningServer;
let filled: FilledServers;
let home: string;

test.use({ viewport: { width: 390, height: 844 } });

test.beforeAll(async () => {
  test.setTimeout(240_000);
  home = await mkdtemp(join(tmpdir(), 'signalbox-browser-'));
  server = await startServer(home, { SIGNALBOX_ALLOW_PRIVATE_TARGETS: 'true', SIGNALBOX_HOSTING: HOSTING });
  filled = await fillServers(server);
  const { ask } = filled;
  const invite = (email: string) => ask('POST', `${organization}/invitations`, { email, role: 'member' });
  const { token } = (await invite(longEmail)).body as { token: string };
  await ask('POST', `/invitations/${token}/accept`, { password, name: longName });
  await invite(invited);
  await ask('POST', `${organization}/service-accounts`, { name: 'continuous-integration-of-the-data-platform' });
  const name = 'Customer relations and billing of the whole company';
  await ask('POST', `${organization}/servers`, { slug: 'customers', name, kind: 'hosted', defaultRole: 'viewer' });
});

test.afterAll(async () => {
  await filled?.upstream.stop();
  await server?.stop();
  await rm(home, { recursive: true, force: true });
});

test('on a phone no page scrolls sideways, cuts a title or a control, or has a target too small to touch', async ({
  page,
}) => {
  test.setTimeout(300_000);
  await filled.signIn(page, filled.grace);
  for (const path of pages) {
    await test.step(path, async () => {
      await page.goto(server.url + path);
      await expect(page.locator('h1')).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      expect(await page.evaluate(faultsOnPhone), path).toEqual([]);
      await isAccessible(page, path, { runOnly: ['target-size'] });
    });
  }
});

/** Runs in the page. */
function faultsOnPhone(): string[] {
  const isCut = (element: Element) => element.scrollWidth > element.clientWidth + 1;
  const faults: string[] = [];
  if (isCut(document.documentElement)) faults.push('scrolls sideways');
  for (const title of document.querySelectorAll('h1')) {
    if (isCut(title)) faults.push(`cuts its title ${title.textContent}`);
  }
  for (const cell of document.querySelectorAll('[role=cell]:has(button:not(.truncate), select)')) {
    if (isCut(cell)) faults.push(`cuts a control of ${cell.parentElement?.parentElement?.textContent}`);
  }
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')]
    .filter((heading) => heading.checkVisibility())
    .map(({ tagName }) => Number(tagName.slice(1)));
  if (levels.some((level, index) => level > (levels[index - 1] ?? 0) + 1)) {
    faults.push(`headings skip a level: ${levels.join(' ')}`);
  }
  return faults;
}

test('text that does not fit is shown whole under the pointer', async ({ page }) => {
  await filled.signIn(page, filled.grace);
  await page.goto(`${server.url}/people`);
  const cell = page.getByRole('cell', { name: longEmail, exact: true });
  await cell.hover();
  await expect(cell).toHaveAttribute('title', longEmail);
  const short = page.getByRole('cell', { name: filled.bob.email, exact: true }).first();
  await short.hover();
  await expect(short).not.toHaveAttribute('title');
  await page.setViewportSize({ width: 1440, height: 900 });
  await cell.hover();
  await expect(cell, 'where it fits, nothing is repeated').not.toHaveAttribute('title');
});
