import type { Page } from '@playwright/test';

/** Everywhere a page could store a text. */
export function kept(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    const parts = [document.documentElement.outerHTML, location.href, JSON.stringify(history.state)];
    const stores = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie];
    const values = [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value);
    return [...parts, ...stores, ...values, JSON.stringify(databases), JSON.stringify(await caches.keys())].join('\n');
  });
}
