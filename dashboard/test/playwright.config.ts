/** `npm run test:browser -- --dashboard` runs these; arguments after it are Playwright's: a file, `-g <title>`, `--project`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import type { Options } from './fixtures.ts';

const work = join(import.meta.dirname, '..', '..', '.work', 'browser');
const programs = [
  process.env['SIGNALBOX_TEST_CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const chromium = programs.find((program) => program !== '' && existsSync(program));

export default defineConfig<Options>({
  testDir: '.',
  outputDir: join(work, 'results'),
  globalSetup: './fill/fill.ts',
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  // Beside other suites a page may be late once; what passed in the second try is counted, and named.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['./counts.ts']],
  use: {
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      // No name is resolved: what a page asks elsewhere fails at once, here as on a machine without a way out.
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
    },
  },
  projects: [
    { name: 'sqlite', use: { database: 'sqlite' } },
    // A short list, by the tag in a title.
    { name: 'postgres', grep: /@postgres/, use: { database: 'postgres' } },
    { name: 'proxy', grep: /@proxy/, use: { database: 'sqlite', isBehindProxy: true } },
  ],
});
