/** Runs the tests of the dashboard, which Playwright drives: `dashboard/test`. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const repository = join(import.meta.dirname, '..', '..', '..');
const playwright = createRequire(join(repository, 'dashboard', 'package.json')).resolve('@playwright/test/cli');

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Prints Playwright's output without its last line. `only`: a title must contain one of these texts. `project`: on this database or behind the proxy. */
export async function testDashboard(only: readonly string[] | undefined, project?: string): Promise<Tally> {
  const titles = only ? ['-g', only.map((text) => text.replaceAll(/[^\w @]/g, '\\$&')).join('|')] : [];
  const config = join(repository, 'dashboard', 'test', 'playwright.config.ts');
  const words = ['test', '-c', config, '--pass-with-no-tests', ...titles, ...(project ? ['--project', project] : [])];
  const child = spawn(process.execPath, [playwright, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let tally: Tally | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const counts = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(line);
    if (counts) tally = { passed: Number(counts[1]), failed: Number(counts[2]), skipped: Number(counts[3]) };
    else console.log(line);
  }
  const code = await exit;
  const result = tally ?? { passed: 0, failed: 1, skipped: 0 };
  if (code !== 0 && result.failed === 0) result.failed = 1;
  return result;
}
