/** Follows every link of the application. */
import { crawl } from './crawl.ts';
import { expect, test } from './fixtures.ts';

// Events and runs of other tests lead to what those tests have deleted.
test.use({ isOwn: true });

test('every link leads to a page, and user text is shown as text', async ({ page, filled }) => {
  test.setTimeout(240_000);
  expect(await crawl(page, filled.url)).toBeGreaterThan(6);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
});
