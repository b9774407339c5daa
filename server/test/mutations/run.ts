/**
 * `npm run test:mutations`: shows that the tests can fail. Changes one place of the server at a time, in a copy of the
 * last commit, and looks for a test that notices. Ends with `N passed, N failed, N skipped`: changes that a test found,
 * and those that survived.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { buildPages, commitOf, prepareCheckout, reserve, writeInto } from './checkout.ts';
import { drawMutants, type Mutant } from './draw.ts';
import { KINDS, type Kind } from './kinds.ts';
import { testsByNearness } from './nearness.ts';
import { lineOf, type Result, readResults, reportOf, writeResult } from './report.ts';
import { runUntilFailure } from './test-run.ts';
import { Experience, tryMutant } from './try-mutant.ts';

const USAGE = `Changes the server one place at a time and looks for a test that notices.

  npm run test:mutations -- [options]

  --count N      how many changes (50), as many of each kind
  --seed N       which changes: the same seed draws the same ones of a commit, and does not repeat those with a result
                 (drawn at random and printed)
  --kind NAME    only one kind: ${KINDS.join(', ')}
  --commit NAME  the commit that is changed (HEAD)
  --near         only the tests near to a change; a survivor of them is tried again by a run without this
  --again N      only the change with this number, also when it has a result
  --list         print the changes and run nothing
`;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(randomInt(1, 100_000)) },
    kind: { type: 'string' },
    commit: { type: 'string', default: 'HEAD' },
    again: { type: 'string' },
    near: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit();
}

const repository = join(import.meta.dirname, '../../..');
const work = join(repository, '.work', 'mutations');
const checkout = join(work, 'checkout');
const seed = wholeNumber('--seed', options.seed);
const again = options.again === undefined ? undefined : wholeNumber('--again', options.again);
const kind = options.kind as Kind | undefined;
if (kind !== undefined && !KINDS.includes(kind)) stop(`--kind takes one of ${KINDS.join(', ')}, not ${kind}.`);

mkdirSync(work, { recursive: true });
const other = reserve(join(work, 'process'));
if (other !== undefined) stop(`Process ${other} changes ${checkout} at the moment.`);
const commit = commitOf(repository, options.commit);
prepareCheckout(repository, checkout, commit);
const count = Math.max(wholeNumber('--count', options.count), again ?? 0);
const drawn = drawMutants(checkout, seed, count, kind === undefined ? KINDS : [kind]);
const mutants = again === undefined ? drawn : drawn.filter(({ number }) => number === again);
console.log(`Seed ${seed}, commit ${commit.slice(0, 8)}: ${mutants.length} changes.`);
if (options.list) {
  for (const mutant of mutants) console.log(`${lineOf(mutant)}\n      ${mutant.difference}`);
  process.exit();
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const resultsFile = join(work, `${seed}.jsonl`);
const results = readResults(resultsFile, commit, options.near);
const known = new Experience();
buildPages(checkout);
for (const mutant of mutants) {
  if (results.has(mutant.number) && again === undefined) continue;
  const result = await resultOf(mutant);
  writeResult(resultsFile, result);
  results.set(mutant.number, result);
  const flaky = result.flaky.length > 0 ? `; passed in their second try: ${result.flaky.join(', ')}` : '';
  console.log(`${lineOf(result)}  ${result.foundBy ?? 'SURVIVED'} (${result.seconds} s)${flaky}`);
}
if (known.broken.size > 0)
  console.log(`\nNot used, because they fail without a change: ${[...known.broken].join(', ')}`);
const shown = mutants.flatMap(({ number }) => results.get(number) ?? []);
console.log(`\n${reportOf(shown)}`);
process.exitCode = shown.every(({ foundBy }) => foundBy !== undefined) ? 0 : 1;

async function resultOf(mutant: Mutant): Promise<Result> {
  const { source, mutated, ...place } = mutant;
  const began = Date.now();
  const log = join(work, `${seed}-${mutant.number}.log`);
  rmSync(log, { force: true });
  // One cluster for each change: tests that are ended leave databases behind.
  const postgres = await startPostgres();
  try {
    const verdict = await tryMutant(
      testsByNearness(checkout, mutant.file, mutant.difference),
      {
        isNearOnly: options.near,
        run: (files, isChanged, limitSeconds) => {
          writeInto(checkout, mutant.file, isChanged ? mutated : source);
          return runUntilFailure({ root: checkout, files, limitSeconds, postgresUrl: postgres?.url, log });
        },
        textOf: (file) => readFileSync(join(checkout, file), 'utf8'),
      },
      known,
    );
    const seconds = Math.round((Date.now() - began) / 1000);
    return { ...place, ...verdict, commit, isNearOnly: options.near, seconds };
  } finally {
    writeInto(checkout, mutant.file, source);
    await postgres?.stop();
  }
}

function wholeNumber(name: string, text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : stop(`${name} takes a whole number, not ${text}.`);
}

function stop(reason: string): never {
  console.error(reason);
  process.exit(2);
}
