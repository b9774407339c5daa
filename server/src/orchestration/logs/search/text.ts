/** The text of a search in log lines, as people type it; see `database/lists/text-search.ts`. Every term must occur. */
import type { Condition, Expression, IndexedWord, SqlDialect } from '../../../database/dialect/dialect.ts';
import { parseTextQuery } from '../../../database/lists/text-search.ts';
import { beginsIn, wordsOfTerm } from './words.ts';

export interface LogText {
  /** In lower case. */
  readonly terms: readonly string[];
  readonly excluded: readonly string[];
  /** True if a term may also begin within a word. */
  readonly isOfParts: boolean;
}

export function logText(text: string, isOfParts: boolean): LogText {
  const { include, require, exclude } = parseTextQuery(text);
  return { terms: [...include, ...require], excluded: exclude, isOfParts };
}

/** The words of which the index has all for a matching line. Empty if the index cannot help. */
export function wordsOfText(workspace: number, { terms, isOfParts }: LogText): readonly IndexedWord[] {
  return isOfParts ? [] : terms.flatMap((term) => wordsOfTerm(workspace, term));
}

/** True of every matching line, and of some others. */
export function mayMatch({ terms }: LogText, message: Expression, dialect: SqlDialect): Condition[] {
  return terms.flatMap((term) => {
    const part = foldedAlike(term);
    return part === '' ? [] : [dialect.containsLiterally(message, part)];
  });
}

/** The longest part of the term whose letters every database folds alike. */
function foldedAlike(term: string): string {
  let longest = '';
  for (const part of term.split(/[^\0-\x7f\p{Lo}\p{N}\p{Z}\p{P}\p{S}]+/u))
    if (part.length > longest.length) longest = part;
  return longest;
}

/** `isCut`: the message goes on, so that the terms that are not in it are in the rest. */
export function matchesText({ terms, excluded, isOfParts }: LogText, message: string, isCut: boolean): boolean {
  const folded = message.toLowerCase();
  const occurs = (term: string) => (isOfParts ? folded.includes(term) : beginsIn(folded, term));
  return (isCut || terms.every(occurs)) && !excluded.some(occurs);
}
