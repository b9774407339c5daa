/** Runs test files with Node's test runner, and those that failed once more. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** With more files than these, the failures have one cause, and a second try would only take time. */
const MOST_FILES_AGAIN = 20;

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What the reporter writes: a test that failed, or the counts of all. */
export type Outcome = { readonly failed: string; readonly file: string } | Counts;

export interface TestFilesOptions {
  /** Number of files that run side by side. */
  readonly atOnce: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Further words for the test runner. */
  readonly words?: readonly string[];
  /**
   * A file with a failure runs again, with nothing beside it, when the others are done: on a busy machine an answer may
   * be late once. A test that fails again has failed; one that passes is counted as passed, and named at the end.
   */
  readonly secondTry?: boolean;
}

/** Prints the output of the test runner. `failed` is at least 1 when the runner ended with an error. */
export async function runTestFiles(files: readonly string[], options: TestFilesOptions): Promise<Counts> {
  const first = await runOnce(files, options);
  const late = [...new Set(first.failures.map(({ file }) => file))];
  if (!options.secondTry || late.length === 0 || late.length > MOST_FILES_AGAIN) return first.counts;
  console.log(`\n${late.length} files with a failure run again, one at a time:\n  ${late.join('\n  ')}\n`);
  const second = await runOnce(late, { ...options, atOnce: 1 });
  const isFailedAgain = new Set(second.failures.map(nameOf));
  for (const failure of first.failures) {
    if (!isFailedAgain.has(nameOf(failure))) console.log(`Passed in its second try: ${nameOf(failure)}`);
  }
  const { passed, failed, skipped } = first.counts;
  return { passed: Math.max(passed, passed + failed - second.counts.failed), failed: second.counts.failed, skipped };
}

/** The closing line of a suite, which `.ci/run` reads. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

interface Failure {
  readonly failed: string;
  readonly file: string;
}

function nameOf({ failed, file }: Failure): string {
  return `${failed} (${file})`;
}

async function runOnce(
  files: readonly string[],
  { atOnce, env = process.env, words = [] }: TestFilesOptions,
): Promise<{ counts: Counts; failures: readonly Failure[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-outcomes-'));
  const outcomes = join(folder, 'outcomes');
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[
      `--test-reporter=${join(import.meta.dirname, 'outcome-reporter.ts')}`,
      `--test-reporter-destination=${outcomes}`,
    ],
  ];
  const run = spawn(process.execPath, ['--test', `--test-concurrency=${atOnce}`, ...reporters, ...words, ...files], {
    stdio: 'inherit',
    env,
  });
  const code = await new Promise<number>((resolve) => run.once('exit', (status) => resolve(status ?? 1)));
  const lines = (await readFile(outcomes, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  await rm(folder, { recursive: true, force: true });
  const read = lines.map((line) => JSON.parse(line) as Outcome);
  const failures = read.filter((outcome) => 'file' in outcome);
  const counts = read.find((outcome) => 'passed' in outcome) ?? { passed: 0, failed: 0, skipped: 0 };
  return { counts: code === 0 ? counts : { ...counts, failed: Math.max(1, counts.failed) }, failures };
}
