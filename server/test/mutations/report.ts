/** What a run writes down for each change, and prints at the end. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { countsLine } from '../support/counts.ts';
import type { Mutant } from './draw.ts';
import type { Verdict } from './try-mutant.ts';

export interface Result extends Verdict, Pick<Mutant, 'number' | 'kind' | 'operator' | 'file' | 'line' | 'difference'> {
  readonly commit: string;
  /** Only near tests were tried, so a survivor of them may be found yet. */
  readonly isNearOnly: boolean;
  readonly seconds: number;
}

export function writeResult(file: string, result: Result): void {
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

/** The results that need no second try, by number; a later line replaces an earlier one. */
export function readResults(file: string, commit: string, isNearOnly: boolean): Map<number, Result> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const results = lines.filter(Boolean).map((line) => JSON.parse(line) as Result);
  const lasting = results.filter((one) => one.commit === commit && (one.foundBy || isNearOnly || !one.isNearOnly));
  return new Map(lasting.map((result) => [result.number, result]));
}

export function lineOf({
  number,
  kind,
  operator,
  file,
  line,
}: Omit<Mutant, 'source' | 'mutated' | 'difference'>): string {
  return `${String(number).padStart(4)}  ${kind.padEnd(10)}  ${file}:${line}  ${operator}`;
}

/** A table, the differences as a Markdown list, and the closing line: what was found has passed, what survived has failed. */
export function reportOf(results: readonly Result[]): string {
  const survivors = results.filter(({ foundBy }) => foundBy === undefined);
  return [
    ...results.map((result) => `${lineOf(result)}  ${result.foundBy ?? 'SURVIVED'}`),
    '',
    ...results.map((result) => `- ${markdownOf(result)}`),
    '',
    countsLine({ passed: results.length - survivors.length, failed: survivors.length, skipped: 0 }),
  ].join('\n');
}

function markdownOf({ number, kind, file, line, difference, foundBy }: Result): string {
  const quotes = difference.includes('`') ? '``' : '`';
  return `${number}, ${kind}, ${file}:${line}: ${quotes} ${difference} ${quotes}; ${foundBy ?? '**survived**'}`;
}
