// Takes the pictures of DESIGN.md: every specimen of the gallery, in light and in dark. `npm run pictures -w dashboard`
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { createServer } from 'vite';

const dashboard = join(dirname(fileURLToPath(import.meta.url)), '..');
const pictures = join(dashboard, 'design', 'pictures');
mkdirSync(pictures, { recursive: true });

const server = await createServer({ root: dashboard, logLevel: 'error', server: { port: 0 } });
await server.listen();
const [origin] = server.resolvedUrls.local;
const executablePath = process.env.SIGNALBOX_TEST_CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const context = await browser.newContext({
  viewport: { width: 800, height: 900 },
  reducedMotion: 'reduce',
  timezoneId: 'UTC',
});
const page = await context.newPage();
for (const mode of ['light', 'dark']) {
  await page.goto(`${origin}design/gallery.html?mode=${mode}`);
  await page.locator('[data-specimen="loading"] [role=status]:not(.opacity-0)').waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.keyboard.press('Tab');
  for (const specimen of await page.locator('[data-specimen]').all()) {
    const name = await specimen.getAttribute('data-specimen');
    if (name === 'buttons') await page.locator('[data-focus=primary]').focus();
    await specimen.screenshot({ path: join(pictures, `${name}-${mode}.png`) });
  }
}
await browser.close();
await server.close();
