/**
 * Checks a page as a reader sees it: in light and dark mode, on a desktop, a tablet and a phone. Keeps a picture of
 * each.
 */
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
export const picturesFolder = join(import.meta.dirname, '..', '..', '.work', 'browser', 'pictures');

const widths = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly string[];
}

/**
 * Asserts that the page has no serious finding of axe-core (WCAG 2.2 AA) in either mode and does not scroll sideways at
 * any width. `name`: prefix of its pictures, `<name>-<width>-<mode>.png` in `.work/browser/pictures`. Only in one project:
 * neither the database nor a proxy changes what a page looks like.
 */
export async function look(page: Page, name: string): Promise<void> {
  if (test.info().project.name !== 'sqlite') return;
  await mkdir(picturesFolder, { recursive: true });
  for (const size of widths) {
    await page.setViewportSize(size);
    for (const mode of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: mode, reducedMotion: 'reduce' });
      await expect(page.locator(`html[data-theme="${mode}"]`)).toBeAttached();
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: join(picturesFolder, `${name}-${size.width}-${mode}.png`) });
      const rules = rulesFor(size.width, mode);
      if (rules) await isAccessible(page, `${name} at ${size.width} in ${mode}`, rules);
    }
    const isWider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWider, `${name} scrolls sideways at ${size.width}`).toBe(false);
  }
  await page.setViewportSize(widths[0]);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The mode changes nothing but colours; a tablet has the layout of one of the others. */
function rulesFor(width: number, mode: 'light' | 'dark'): object | undefined {
  if (width === 1024) return undefined;
  return mode === 'light' ? {} : { runOnly: ['color-contrast'] };
}

/** `rules`: further options of axe, which choose its rules; all of them by default. */
export async function isAccessible(page: Page, name: string, rules: object = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    // The debugger runs it, so the page's content policy does not apply to it.
    const { readFile } = await import('node:fs/promises');
    await page.evaluate(await readFile(AXE, 'utf8'));
  }
  const violations = await page.evaluate(async (chosen) => {
    const { axe } = window as unknown as {
      axe: { run(root: Document, options: object): Promise<{ violations: unknown[] }> };
    };
    // Style sheets are not preloaded: axe would make style elements for those of a shadow root, and the policy blocks
    // them.
    const { violations: found } = await axe.run(document, {
      resultTypes: ['violations'],
      preload: false,
      ...chosen,
    });
    return (found as { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] }[]).map(
      ({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
      }),
    );
  }, rules);
  const serious = (violations as Violation[]).filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious, name).toEqual([]);
}
