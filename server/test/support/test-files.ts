/** Runs test files with Node's test runner, in several processes at a time, and those that failed once more. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Counts, secondTryLine } from './counts.ts';
import { groupsOf } from './test-groups.ts';

/** With more files than these, the failures have one cause, and a second try would only take time. */
const MOST_FILES_AGAIN = 20;

/** A process that prints nothing for so long hangs, for example on a server that a failed test has left running. */
const MOST_SILENT_MILLISECONDS = 600_000;

interface TestOutcome {
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly name: string;
  readonly file: string;
  /** Processor time of its process. */
  readonly milliseconds: number;
}

/** What the reporter writes: how long loading took, a test that ended, or that the process ended as it should. */
export type Outcome = TestOutcome | { readonly loaded: number } | { readonly ended: true };

export interface TestFilesOptions {
  /** Number of processes that run side by side. */
  readonly atOnce: number;
  /** Files of a folder share a process, one after the other, so that the server is loaded once for all of them. */
  readonly together?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** Further words for the test runner. */
  readonly words?: readonly string[];
  /** Prints the processor time of the files. */
  readonly times?: boolean;
  /**
   * A file with a failure runs again, with nothing beside it, when the others are done: on a busy machine an answer may
   * be late once. A test that fails again has failed; one that passes is counted as passed, and named at the end.
   */
  readonly secondTry?: boolean;
}

/**
 * Prints the output of the test runner. A process that ends without its last test counts as a failure of each of its
 * files. When this process gets SIGTERM, as at the time limit of `.ci/run`, the counts are of the tests that ran, and
 * the others count as failed.
 */
export async function runTestFiles(files: readonly string[], options: TestFilesOptions): Promise<Counts> {
  const groups = options.together ? groupsOf(files) : files.map((file) => [file]);
  const run = new Run(options);
  const stop = () => run.stop();
  process.once('SIGTERM', stop);
  try {
    const first = await run.groups(groups, options.atOnce);
    if (options.times) printTimes(first, run.loadedMilliseconds);
    const late = [...new Set(first.filter(isFailed).map(({ file }) => file))];
    if (!options.secondTry || run.isStopped || late.length === 0 || late.length > MOST_FILES_AGAIN) {
      return countsOf(first);
    }
    console.log(`\n${late.length} files with a failure run again, one at a time:\n  ${late.join('\n  ')}\n`);
    const again = late.map((file) => [file]);
    return countsAfterSecondTry(first, await run.groups(again, 1));
  } finally {
    process.off('SIGTERM', stop);
  }
}

class Run {
  readonly #options: TestFilesOptions;
  readonly #running = new Set<ChildProcess>();
  isStopped = false;
  /** Processor time until the first test of each process. */
  loadedMilliseconds = 0;

  constructor(options: TestFilesOptions) {
    this.#options = options;
  }

  stop(): void {
    this.isStopped = true;
    for (const child of this.#running) child.kill('SIGKILL');
  }

  async groups(groups: readonly (readonly string[])[], atOnce: number): Promise<TestOutcome[]> {
    const outcomes: TestOutcome[] = [];
    const queue = groups.values();
    const lane = async () => {
      for (const files of queue) outcomes.push(...(await this.#group(files)));
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return outcomes;
  }

  async #group(files: readonly string[]): Promise<TestOutcome[]> {
    if (this.isStopped) return files.map(notEnded);
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-outcomes-'));
    const written = join(folder, 'outcomes');
    const output = await this.#runNode([
      '--test',
      // The process that runs the tests is the one that this one starts: each is a load of the server.
      '--test-isolation=none',
      // Servers come and go: what a test leaves is collected less often.
      '--max-semi-space-size=64',
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${join(import.meta.dirname, 'outcome-reporter.ts')}`],
      `--test-reporter-destination=${written}`,
      ...(this.#options.words ?? []),
      ...files,
    ]);
    const lines = (await readFile(written, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    await rm(folder, { recursive: true, force: true });
    const read = lines.map((line) => JSON.parse(line) as Outcome);
    const tests = read.filter((outcome) => 'result' in outcome);
    for (const outcome of read) if ('loaded' in outcome) this.loadedMilliseconds += outcome.loaded;
    const hasEnded = read.some((outcome) => 'ended' in outcome) && (output.code === 0 || tests.some(isFailed));
    console.log(`\n${files.map((file) => relative(process.cwd(), file)).join(' ')}\n${output.text.trimEnd()}`);
    if (hasEnded) return tests;
    console.log(`The process of these files ended early (${output.code}).`);
    return [...tests.filter((test) => !isFailed(test)), ...files.map(notEnded)];
  }

  #runNode(words: readonly string[]): Promise<{ code: number | string; text: string }> {
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#options.env ?? process.env,
    });
    this.#running.add(child);
    const pieces: Buffer[] = [];
    const silence = setTimeout(() => child.kill('SIGKILL'), MOST_SILENT_MILLISECONDS);
    const keep = (piece: Buffer) => {
      pieces.push(piece);
      silence.refresh();
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', keep);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#running.delete(child);
        clearTimeout(silence);
        resolve({ code: code ?? signal ?? 1, text: Buffer.concat(pieces).toString('utf8') });
      });
    });
  }
}

function notEnded(file: string): TestOutcome {
  return { result: 'failed', name: 'all its tests end', file, milliseconds: 0 };
}

function isFailed({ result }: TestOutcome): boolean {
  return result === 'failed';
}

function countsOf(outcomes: readonly TestOutcome[]): Counts {
  const count = (wanted: TestOutcome['result']) => outcomes.filter(({ result }) => result === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** Files of the second try count with it; the line for each test that passed only then is what `.ci/run` looks for. */
function countsAfterSecondTry(first: readonly TestOutcome[], second: readonly TestOutcome[]): Counts {
  const nameOf = ({ name, file }: TestOutcome) => `${name} (${relative(process.cwd(), file)})`;
  const failedAgain = new Set(second.filter(isFailed).map(nameOf));
  for (const outcome of first.filter(isFailed)) {
    if (!failedAgain.has(nameOf(outcome))) console.log(secondTryLine(nameOf(outcome)));
  }
  const again = new Set(first.filter(isFailed).map(({ file }) => file));
  return countsOf([...first.filter(({ file }) => !again.has(file)), ...second]);
}

/** Where the processor time of the tests went: a line for each file, the longest first. */
function printTimes(outcomes: readonly TestOutcome[], loaded: number): void {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1).padStart(7);
  const byFile = Map.groupBy(outcomes, ({ file }) => relative(process.cwd(), file));
  const sums = [...byFile].map(([file, tests]) => ({
    file,
    sum: tests.reduce((sum, one) => sum + one.milliseconds, 0),
  }));
  console.log(`\nProcessor time in seconds, without databases and other programs:\n${seconds(loaded)} loading`);
  for (const { file, sum } of sums.toSorted((one, other) => other.sum - one.sum))
    console.log(`${seconds(sum)} ${file}`);
}
