/**
 * `npm run test:browser` runs these tests. For some of them: `npm test -w dashboard -- <file> -g <title> --project=sqlite`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import type { Options } from './fixtures.ts';

const work = join(import.meta.dirname, '..', '..', '.work', 'browser');
const programs = [
  process.env['SIGNALBOX_TEST_CHROMIUM'] ?? '',
  // The same pages without the windows of a browser around them, so a test takes less of the machine.
  '/usr/bin/chromium-headless-shell',
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
  // A page may be late once while other suites run; a test that passes on the retry counts as passed, and the report
  // names it.
  retries: process.env['CI'] ? 1 : 0,
  // Both end what hangs. A page that takes a second alone takes ten beside the other suites on a slow machine.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['./counts.ts']],
  use: {
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    screenshot: 'only-on-failure',
    // Not of each test: recording makes the browser draw all the time, which hides what a page that is at rest does.
    trace: 'on-first-retry',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      // No host name resolves: a request to another host fails at once, here as on a machine without network access.
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
    },
  },
  projects: [
    { name: 'sqlite', use: { database: 'sqlite' } },
    // A short list of tests, selected by the tag in the title.
    { name: 'postgres', grep: /@postgres/, use: { database: 'postgres' } },
    { name: 'proxy', grep: /@proxy/, use: { database: 'sqlite', isBehindProxy: true } },
  ],
});
