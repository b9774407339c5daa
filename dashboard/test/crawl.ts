import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** Pages that a reader can reach; a few of the addresses that differ only in an id. */
const MOST_OF_A_KIND = 3;

/** Opens every page that links lead to, from `url` on; `look` is called on each. Answers how many pages there were. */
export async function crawl(page: Page, url: string, look?: (path: string) => Promise<void>): Promise<number> {
  const seen = new Map<string, number>();
  const visited = new Set<string>();
  const waiting = [new URL(url).pathname];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = kindOf(path);
    const count = seen.get(kind) ?? 0;
    if (visited.has(path) || count >= MOST_OF_A_KIND) continue;
    visited.add(path);
    seen.set(kind, count + 1);
    await test.step(path, async () => {
      await page.goto(new URL(path, url).href);
      await expect(page.locator('h1').first()).toBeVisible();
      await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
      await expect(page.getByText('Page not found')).toHaveCount(0);
      await expect(page.getByText(/There is nothing here|It was deleted or never existed/)).toHaveCount(0);
      await look?.(path);
      waiting.push(...(await linksOf(page, url)));
    });
  }
  return visited.size;
}

function kindOf(path: string): string {
  const [name = ''] = path.split('?');
  return name.replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}/g, '…').replace(/^\/(\w[-\w]*\/[-\w]+)\/.*/, '$1/…');
}

async function linksOf(page: Page, url: string): Promise<string[]> {
  const addresses = await page.$$eval('main a[href], nav a[href]', (links) =>
    links.map((link) => (link as HTMLAnchorElement).href),
  );
  expect(addresses.filter((address) => /^(javascript|data|vbscript):/i.test(address))).toEqual([]);
  const pages = addresses.filter((address) => address.startsWith(url) && !/\/(api|docs|sign-out)\b/.test(address));
  return pages.map((address) => {
    const { pathname, search } = new URL(address);
    return pathname + search;
  });
}
