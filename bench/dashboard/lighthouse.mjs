// Lighthouse on pages of a running server: `node bench/dashboard/lighthouse.mjs http://127.0.0.1:4200 / /runs`
// Prints performance and accessibility (0 to 100) of each page, as a desktop. npm brings Lighthouse; Chromium is the system's.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [origin, ...paths] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
const chromium = process.env.SIGNALBOX_TEST_CHROMIUM ?? '/usr/bin/chromium';

for (const path of paths.length > 0 ? paths : ['/', '/runs']) {
  const report = join(folder, 'report.json');
  const words = ['--yes', 'lighthouse@13', origin + path, '--preset=desktop', '--quiet', '--output=json'];
  const { status, stderr } = spawnSync(
    'npx',
    [
      ...words,
      `--output-path=${report}`,
      '--only-categories=performance,accessibility',
      '--chrome-flags=--headless --no-sandbox',
    ],
    { encoding: 'utf8', env: { ...process.env, CHROME_PATH: chromium } },
  );
  if (status !== 0) {
    console.error(stderr);
    process.exit(1);
  }
  const { categories, audits } = JSON.parse(readFileSync(report, 'utf8'));
  const score = (name) => Math.round(categories[name].score * 100);
  const value = (name) => audits[name].displayValue;
  const shown = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ];
  console.log(`${path}  performance ${score('performance')}  accessibility ${score('accessibility')}`);
  console.log(`    ${shown.map((name) => `${name} ${value(name)}`).join(', ')}`);
  for (const { auditRefs } of [categories.accessibility]) {
    for (const { id } of auditRefs) if (audits[id].score === 0) console.log(`    ${id}: ${audits[id].title}`);
  }
}
