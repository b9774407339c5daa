/** Looks for a test that notices a change: the nearest tests first, then more and more of them. */
import type { Ending } from './test-run.ts';

/** Files in each batch; the last batch has all others. */
const BATCHES = [6, 20, 60];
const NEAR_BATCHES = 2;
/** Before any batch has shown how long a file takes. */
const SECONDS_PER_FILE = 10;
const SECONDS_TO_START = 60;
const TIMES_THE_SLOWEST = 4;
const LONGEST_SECONDS = 1800;

export interface Verdict {
  /** The file and the test, or why the run ended. Undefined for a change that survived. */
  readonly foundBy: string | undefined;
  /** Files that failed and then passed with the same change. */
  readonly flaky: readonly string[];
  /** Number of test files that were started. */
  readonly files: number;
}

export interface Trial {
  readonly isNearOnly: boolean;
  /** Runs files with or without the change. */
  run(files: readonly string[], isChanged: boolean, limitSeconds: number): Promise<Ending>;
  textOf(file: string): string;
}

/** What one run learns about the test files and keeps for the next changes. */
export class Experience {
  /** Files that pass without a change, and those that do not. */
  readonly clean = new Set<string>();
  readonly broken = new Set<string>();
  #secondsPerFile = 0;

  note(files: number, seconds: number): void {
    if (files >= BATCHES[0]!) this.#secondsPerFile = Math.max(this.#secondsPerFile, seconds / files);
  }

  limitFor(files: number): number {
    const usual = TIMES_THE_SLOWEST * (this.#secondsPerFile || SECONDS_PER_FILE);
    return Math.min(LONGEST_SECONDS, SECONDS_TO_START + files * usual);
  }
}

/** Tries the files in this order, until one fails because of the change. */
export async function tryMutant(ordered: readonly string[], trial: Trial, known: Experience): Promise<Verdict> {
  const flaky = new Set<string>();
  let files = 0;
  for (const batch of batchesOf(ordered, trial.isNearOnly)) {
    for (;;) {
      const left = batch.filter((file) => !flaky.has(file) && !known.broken.has(file));
      if (left.length === 0) break;
      const ending = await trial.run(left, true, known.limitFor(left.length));
      if (ending.kind === 'passed') {
        known.note(left.length, ending.seconds);
        files += left.length;
        break;
      }
      const answer = await judge(left, ending, trial, known);
      if (answer.foundBy !== undefined)
        return { foundBy: answer.foundBy, flaky: [...flaky], files: files + left.length };
      for (const file of answer.passedAgain) flaky.add(file);
    }
  }
  return { foundBy: undefined, flaky: [...flaky], files };
}

export function batchesOf(ordered: readonly string[], isNearOnly: boolean): string[][] {
  let start = 0;
  const sizes = isNearOnly ? BATCHES.slice(0, NEAR_BATCHES) : [...BATCHES, ordered.length];
  return sizes
    .map((size) => {
      const batch = ordered.slice(start, start + size);
      start += size;
      return batch;
    })
    .filter((batch) => batch.length > 0);
}

/** A change is found by a test that fails twice with it and passes without it. */
async function judge(
  files: readonly string[],
  ending: Exclude<Ending, { kind: 'passed' }>,
  { run, textOf }: Trial,
  known: Experience,
): Promise<{ foundBy?: string; passedAgain: readonly string[] }> {
  const suspects = ending.kind === 'late' ? files : suspectsOf(ending, files, textOf);
  const limit = known.limitFor(suspects.length);
  if (ending.kind === 'failed') {
    const again = await run(suspects, true, limit);
    if (again.kind === 'passed') return { passedAgain: suspects };
  }
  const isKnown = ending.kind === 'failed' && suspects.every((file) => known.clean.has(file));
  const without = isKnown ? undefined : await run(suspects, false, limit);
  if (ending.kind === 'late') {
    // On a busy machine it may only have been slow.
    const seconds = without?.kind === 'passed' ? without.seconds : limit;
    known.note(files.length, seconds);
    if (seconds > limit / 2 && known.limitFor(files.length) > limit) return { passedAgain: [] };
  }
  if (without && without.kind !== 'passed') {
    const guilty = without.kind === 'failed' ? suspectsOf(without, suspects, textOf) : suspects;
    for (const file of guilty) known.broken.add(file);
    return { passedAgain: [] };
  }
  for (const file of suspects) known.clean.add(file);
  if (ending.kind === 'late') return { foundBy: 'the time limit', passedAgain: [] };
  const place = suspects.length > 3 ? `${suspects.length} files` : suspects.join(' or ');
  return { foundBy: `${place}: ${ending.test}`, passedAgain: [] };
}

/** The files that may have the test that failed. */
function suspectsOf(
  { test, process }: Extract<Ending, { kind: 'failed' }>,
  files: readonly string[],
  textOf: Trial['textOf'],
): readonly string[] {
  const together = files.filter((file) => process.includes(file));
  return filesNaming(test, together.length > 0 ? together : files, textOf);
}

/** The files in which a test has this name; all of them when none is recognised. */
export function filesNaming(
  test: string,
  files: readonly string[],
  textOf: (file: string) => string,
): readonly string[] {
  const byPath = files.filter((file) => test.endsWith(file));
  if (byPath.length > 0) return byPath;
  const named = files.filter((file) => namesIn(textOf(file)).some((name) => name.test(test)));
  return named.length > 0 ? named : files;
}

const NAMED_CALL = /\b(?:test|it|describe|suite)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;

/** Names of tests as written, where what is inserted into them may be anything. Names without words of their own are left out. */
function namesIn(text: string): RegExp[] {
  return [...text.matchAll(NAMED_CALL)].flatMap(([, , name = '']) => {
    const parts = name.split(/\$\{[^}]*\}/).map((part) => part.replace(/\\(.)/g, '$1'));
    if (parts.join('').trim().length < 8) return [];
    return [new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's')];
  });
}
