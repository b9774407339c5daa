/**
 * Patterns for labels: `*` stands for any text, `?` for one character, a leading `!` negates the rest. Letters A to Z
 * match in either case. Source: `POST /events/filter` of the Prefect server 3.9.1 on SQLite.
 *
 * The database and live events both match patterns, and the two must agree. Only live events have a limit for labels
 * (`MAX_MATCHED`): they are matched on the event loop.
 */

import { sql } from 'kysely';
import { type Condition, type Expression, not, or, type SqlDialect } from '../database/dialect/dialect.ts';
import type { WorkAllowance } from '../fairness/foreign-work/allowance.ts';
import { type Glob, hasWildcards, MatchedText, parseGlob } from '../fairness/foreign-work/glob.ts';

/** Databases refuse longer patterns (SQLite at 50,000 bytes), and no real label needs one. */
const MAX_WILDCARD_PATTERN = 2000;

interface LabelPattern {
  readonly isNegated: boolean;
  readonly text: string;
  readonly hasWildcards: boolean;
}

function parsePattern(pattern: string): LabelPattern {
  const isNegated = pattern.startsWith('!');
  const text = foldCase(isNegated ? pattern.slice(1) : pattern);
  return { isNegated, text, hasWildcards: hasWildcards(text) };
}

/**
 * True if one of `patterns` matches. `value` is an expression that is null if the label is absent; then no pattern
 * matches, negated or not.
 */
export function patternsCondition(patterns: readonly string[], value: Expression, dialect: SqlDialect): Condition {
  const folded = dialect.foldCase(value);
  const parsed = patterns.map(parsePattern);
  const isPlain = (pattern: LabelPattern) => !pattern.isNegated && !pattern.hasWildcards;
  const plain = parsed.filter(isPlain).map(({ text }) => text);
  const others = parsed
    .filter((pattern) => !isPlain(pattern))
    .map(({ isNegated, text, hasWildcards: isGlob }) => {
      const matches = isGlob ? likeCondition(folded, text) : sql<boolean>`${folded} = ${text}`;
      return isNegated ? not(matches) : matches;
    });
  return or([...(plain.length > 0 ? [dialect.oneOf(folded, plain, 'text')] : []), ...others]);
}

function likeCondition(folded: Expression, text: string): Condition {
  // Null if the label is absent, so that its negation is not true either.
  if (text.length > MAX_WILDCARD_PATTERN) return sql<boolean>`${folded} <> ${folded}`;
  const pattern = text
    .replace(/[\\%_]/g, (character) => `\\${character}`)
    .replace(/\*+/g, '%')
    .replaceAll('?', '_');
  return sql<boolean>`${folded} like ${pattern} escape '\\'`;
}

/** Like `patternsCondition`, for labels in memory. */
export class LabelTest {
  readonly #isNegated: boolean;
  readonly #text: string;
  /** Undefined if the pattern has no wildcards, null if it is too long to match any label. */
  readonly #glob: Glob | undefined | null;

  constructor(pattern: string) {
    const { isNegated, text, hasWildcards: isGlob } = parsePattern(pattern);
    this.#isNegated = isNegated;
    this.#text = text;
    this.#glob = isGlob ? (text.length > MAX_WILDCARD_PATTERN ? null : parseGlob(text)) : undefined;
  }

  /** `folded` is a label from `foldedText`. Throws WorkSpent. */
  matches(folded: MatchedText): boolean {
    const isMatch = this.#glob === undefined ? folded.equals(this.#text) : (this.#glob?.matches(folded) ?? false);
    return isMatch !== this.#isNegated;
  }
}

/** Prepares a label for `LabelTest.matches`, once for all patterns. Throws WorkSpent. */
export function foldedText(label: string, work: WorkAllowance): MatchedText {
  work.spend(label.length);
  return new MatchedText(foldCase(label), work);
}

function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
