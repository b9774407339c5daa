/**
 * Patterns for labels: `*` stands for any text, `?` for one character, a leading `!` negates the rest. Letters A to Z
 * match in either case. Source: `POST /events/filter` of the Prefect server 3.9.1 on SQLite.
 *
 * A pattern is matched in two places, by the database and on live events; the two must agree.
 */

import { sql } from 'kysely';
import { type Condition, type Expression, not, or, type SqlDialect } from '../database/dialect.ts';

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
  return { isNegated, text, hasWildcards: /[*?]/.test(text) };
}

/**
 * One of `patterns` matches. `value` is an expression that is null where the label is absent; then no pattern matches,
 * negated or not.
 */
export function patternsCondition(patterns: readonly string[], value: Expression, dialect: SqlDialect): Condition {
  const folded = dialect.foldCase(value);
  const parsed = patterns.map(parsePattern);
  const isPlain = ({ isNegated, hasWildcards }: LabelPattern) => !isNegated && !hasWildcards;
  const plain = parsed.filter(isPlain).map(({ text }) => text);
  const others = parsed
    .filter((pattern) => !isPlain(pattern))
    .map(({ isNegated, text, hasWildcards }) => {
      const matches = hasWildcards ? likeCondition(folded, text) : sql<boolean>`${folded} = ${text}`;
      return isNegated ? not(matches) : matches;
    });
  return or([...(plain.length > 0 ? [dialect.oneOf(folded, plain, 'text')] : []), ...others]);
}

function likeCondition(folded: Expression, text: string): Condition {
  // Null where the label is absent, so that its negation is not true either.
  if (text.length > MAX_WILDCARD_PATTERN) return sql<boolean>`${folded} <> ${folded}`;
  const pattern = text
    .replace(/[\\%_]/g, (character) => `\\${character}`)
    .replace(/\*+/g, '%')
    .replaceAll('?', '_');
  return sql<boolean>`${folded} like ${pattern} escape '\\'`;
}

/** The same test on a label in memory. */
export function matchesPattern(pattern: string, value: string): boolean {
  const { isNegated, text, hasWildcards } = parsePattern(pattern);
  const folded = foldCase(value);
  return (hasWildcards ? matchesWildcards(text, folded) : folded === text) !== isNegated;
}

function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** By characters, not by UTF-16 units; time is at most the product of the lengths, so that no pattern is slow. */
function matchesWildcards(patternText: string, valueText: string): boolean {
  if (patternText.length > MAX_WILDCARD_PATTERN) return false;
  const pattern = [...patternText];
  const value = [...valueText];
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starAt = 0;
  while (at < value.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++;
      starAt = at;
    } else if (pattern[inPattern] === '?' || pattern[inPattern] === value[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}
