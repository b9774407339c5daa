/** The pages of people and MCP servers at the width of a phone, with names as long as people's names are. */
import { expect, test } from './fixtures.ts';
import { isAccessible } from './look.ts';
import { longEmail, type Organization, organizationPages, startOrganization } from './organization.ts';

let shown: Organization;

test.use({ viewport: { width: 390, height: 844 } });

test.beforeAll(async () => {
  test.setTimeout(240_000);
  shown = await startOrganization();
});

test.afterAll(() => shown?.stop());

test('on a phone no page scrolls sideways, cuts a title or a control, or has a target too small to touch', async ({
  page,
}) => {
  test.setTimeout(300_000);
  await shown.filled.signIn(page, shown.filled.grace);
  for (const path of organizationPages) {
    await test.step(path, async () => {
      await page.goto(shown.url + path);
      await expect(page.locator('h1')).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      expect(await page.evaluate(faultsOnPhone), path).toEqual([]);
      await isAccessible(page, path, { runOnly: ['target-size'] });
    });
  }
});

test('on a phone the name of a row comes first, and the buttons of rows stand below each other', async ({ page }) => {
  await shown.filled.signIn(page, shown.filled.grace);
  await page.goto(`${shown.url}/people`);
  const menus = page.getByRole('button', { name: /^Actions on / });
  await expect(menus.first()).toBeVisible();
  const rights = await menus.evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().right));
  expect(new Set(rights).size).toBe(1);
  const access = await page.evaluate(async () => (await fetch('/api/v0/me/access')).json());
  const made = await page.request.post(`${shown.url}/api/automations/`, {
    headers: { 'x-csrf-token': (access as { csrfToken: string }).csrfToken },
    data: {
      name: 'on-a-phone',
      trigger: { type: 'event', posture: 'Reactive', expect: ['order.placed'], threshold: 1, within: 0 },
      actions: [{ type: 'do-nothing' }],
    },
  });
  expect(made.status()).toBe(201);
  await page.goto(`${shown.url}/automations`);
  const name = await page.getByRole('link', { name: 'on-a-phone' }).boundingBox();
  const control = await page.getByRole('switch', { name: /^on-a-phone/ }).boundingBox();
  if (!name || !control) throw new Error('The row is not drawn.');
  expect(name.x + name.width).toBeLessThanOrEqual(control.x);
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
  await shown.filled.signIn(page, shown.filled.grace);
  await page.goto(`${shown.url}/people`);
  const cell = page.getByRole('cell', { name: longEmail, exact: true });
  await cell.hover();
  await expect(cell).toHaveAttribute('title', longEmail);
  const short = page.getByRole('cell', { name: shown.filled.bob.email, exact: true }).first();
  await short.hover();
  await expect(short).not.toHaveAttribute('title');
  await page.setViewportSize({ width: 1440, height: 900 });
  await cell.hover();
  await expect(cell, 'where it fits, nothing is repeated').not.toHaveAttribute('title');
});
