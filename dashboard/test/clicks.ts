import type { Page } from '@playwright/test';

/** Counts the presses of the pointer from now on, on each page that is loaded. Keys do not count. */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('pointerPressed', () => {
    clicks += 1;
  });
  const listen = () => {
    const { pointerPressed } = window as unknown as { pointerPressed: () => void };
    addEventListener('pointerdown', () => pointerPressed(), { capture: true });
  };
  await page.addInitScript(listen);
  return () => clicks;
}
