/** A person with the least role, and a person with none. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { join, settings, setUp } from './accounts.ts';
import { crawl } from './crawl.ts';
import { filledHome } from './fill/fill.ts';
import { expect, test } from './fixtures.ts';
import { look } from './look.ts';
import { type RunningServer, startServer } from './running-server.ts';

/** The names of actions that change something. */
const changes =
  /^(Add|Build|Cancel|Change|Create|Delete|Edit|Invite|Make|New|Pause|Reactivate|Register|Release|Remove|Restart|Resume|Retry|Run|Save|Start|Stop|Suspend|Unlink)\b/;
/** Pages of one's own account, where everybody changes things, and the documentation. */
const pagesForAll = /^\/(account|help\/)/;
/** What a viewer may do although its name is the name of a change. */
const harmless = /^\s*(Runs\b|Remove (this|the) filters?|Run a deployment: |Start the |New key$)/;
/** The headings of tables are named after what is in the column. */
const outsideHeadings = ':not([role=columnheader] *)';

test('a viewer crawls every page: no request is refused, and no change is offered', async ({ page, browser }) => {
  test.setTimeout(300_000);
  const home = await mkdtemp(joinPath(tmpdir(), 'signalbox-browser-'));
  await cp(filledHome, home, { recursive: true });
  const server = await startServer(home, settings);
  try {
    await setUp(page, server);
    const viewer = await join(page, browser, server, 'Max Viewer', 'max@example.com');
    await page.goto(`${server.url}/workspaces`);
    await page.getByRole('link', { name: 'default', exact: true }).click();
    await page.getByLabel(/Role of Max Viewer/).selectOption('viewer');
    await expect(page.getByRole('row', { name: /Max Viewer/ })).toContainText('Grant');
    await page.goto('about:blank');
    await addServer(server);

    await viewer.goto(`${server.url}/runs?span=30d`);
    await expect(viewer.getByRole('row').nth(1)).toBeVisible();
    // A viewer selects runs to compare them, and for nothing else.
    for (const key of ['j', 'x', 'r', 'c']) await viewer.keyboard.press(key);
    const selected = viewer.getByRole('toolbar', { name: 'Selected runs' });
    await expect(selected).toBeVisible();
    await expect(selected.getByRole('button', { name: changes })).toHaveCount(0);
    await expect(viewer.getByRole('dialog')).toHaveCount(0);

    const refused: string[] = [];
    viewer.on('response', (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
    const offered: string[] = [];
    const visited = await crawl(viewer, server.url, async (path) => {
      if (pagesForAll.test(path)) return;
      for (const role of ['button', 'link', 'menuitem'] as const) {
        const found = viewer.getByRole('main').getByRole(role, { name: changes }).and(viewer.locator(outsideHeadings));
        const names = await found.evaluateAll((elements) =>
          elements.map((element) => (element.ariaLabel ?? element.textContent).trim()),
        );
        offered.push(...names.filter((name) => !harmless.test(name)).map((name) => `${path}: ${role} ${name}`));
      }
      for (const menu of await viewer.getByRole('main').locator('button[aria-haspopup=menu]').all()) {
        await menu.click();
        const items = await viewer.getByRole('menuitem', { name: changes }).allInnerTexts();
        offered.push(...items.map((name) => `${path}: menu item ${name}`));
        await viewer.keyboard.press('Escape');
      }
    });
    expect(visited).toBeGreaterThan(20);
    expect(refused).toEqual([]);
    expect(offered).toEqual([]);
    await viewer.context().close();
  } finally {
    await page.goto('about:blank');
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
});

/** An MCP server in which every member is a viewer. */
async function addServer(server: RunningServer): Promise<void> {
  const key = (await server.command('keys', 'create', '--user', 'ada@example.com', '--descriptor', 'test')).trim();
  const answer = await fetch(`${server.url}/api/v0/organizations/default/servers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'hosted', name: 'Hosted', kind: 'hosted', defaultRole: 'viewer' }),
  });
  expect(answer.status).toBe(201);
}

test('a person without a role sees which workspaces are open instead', async ({ page, browser, startEmpty }) => {
  test.setTimeout(240_000);
  const server = await startEmpty(settings);
  await setUp(page, server);
  const max = await join(page, browser, server, 'Max Guest', 'max@example.com');
  await page.goto(`${server.url}/workspaces`);
  await page.getByRole('link', { name: 'default', exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Default role').selectOption('none');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await max.goto(`${server.url}/runs`);
  await expect(max.getByText('You have no role in this workspace')).toBeVisible();
  await expect(max.getByText('You have no role in another workspace.')).toBeVisible();
  await expect(max.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' })).toHaveCount(0);
  // Such a person gets no stream of changes, so the page does not say that one is missing.
  await expect(max.getByText(/^(Live|Connecting|As of)/)).toHaveCount(0);
  await look(max, 'no-role');
  await max.goto(`${server.url}/people`);
  await expect(max.getByRole('cell', { name: 'max@example.com', exact: true })).toBeVisible();
  await max.context().close();
});
