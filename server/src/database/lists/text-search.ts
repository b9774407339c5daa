/**
 * Search by a line of words, as people type it: `failed "connection reset" -retry +db`. White space separates terms;
 * quotes make a phrase (`\"` and `\\` inside it); `-` or `!` before a term excludes it, `+` requires it.
 * Source: `POST /events/filter` of the Prefect server 3.9.1 on PostgreSQL (with an old SQLite it fails).
 */
import { WorkAllowance } from '../../fairness/foreign-work/allowance.ts';
import { always, and, type Condition, type Expression, not, or, type SqlDialect } from '../dialect/dialect.ts';

/** The terms of a query, in lower case; all are searched for literally, without wildcards. */
export interface TextQuery {
  /** The text contains at least one of them. */
  readonly include: readonly string[];
  /** The text contains all of them. */
  readonly require: readonly string[];
  /** The text contains none of them. */
  readonly exclude: readonly string[];
}

/** The list that receives a term with the prefix. */
const lists = { '-': 'exclude', '!': 'exclude', '+': 'require' } as const;

/**
 * Reads a query; every text is valid. A prefix without a term and a term of only white space are dropped, and an
 * unclosed phrase extends to the end.
 */
export function parseTextQuery(text: string): TextQuery {
  const query = { include: [] as string[], require: [] as string[], exclude: [] as string[] };
  let index = 0;
  while (index < text.length) {
    const list = lists[text.charAt(index) as keyof typeof lists];
    if (list) index++;
    if (index === text.length) break;
    if (isSpace(text, index)) {
      index++;
      continue;
    }
    const { term, end } = text.charAt(index) === '"' ? readPhrase(text, index + 1) : readWord(text, index);
    if (!isBlank(term)) query[list ?? 'include'].push(term.toLowerCase());
    index = end;
  }
  return query;
}

/** White space as Python defines it: Unicode white space, and four separators of ASCII. */
function isSpace(text: string, index: number): boolean {
  const character = text.charAt(index);
  return /\p{White_Space}/u.test(character) || (character >= '\x1c' && character <= '\x1f');
}

function isBlank(term: string): boolean {
  for (let index = 0; index < term.length; index++) if (!isSpace(term, index)) return false;
  return true;
}

/** A word ends at white space, or at a quote, which begins the next term. */
function readWord(text: string, start: number): { term: string; end: number } {
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== '"' && !isSpace(text, end)) end++;
  return { term: text.slice(start, end), end };
}

function readPhrase(text: string, start: number): { term: string; end: number } {
  let term = '';
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') return { term, end: index + 1 };
    const next = text.charAt(index + 1);
    if (character === '\\' && (next === '"' || next === '\\')) {
      term += next;
      index++;
    } else {
      term += character;
    }
  }
  return { term, end: text.length };
}

/** True when the query has no terms, so it sets no condition. */
export function isEmptyTextQuery({ include, require, exclude }: TextQuery): boolean {
  return include.length + require.length + exclude.length === 0;
}

/**
 * The condition that `text`, an SQL expression that is never null, matches. Case is folded as far as the database does.
 * A query without terms matches every row (`always`).
 */
export function compileTextQuery(query: TextQuery, text: Expression, dialect: SqlDialect): Condition {
  if (isEmptyTextQuery(query)) return always;
  const contains = (term: string) => dialect.containsLiterally(text, term);
  return and([
    ...query.exclude.map((term) => not(contains(term))),
    ...query.require.map(contains),
    ...(query.include.length > 0 ? [or(query.include.map(contains))] : []),
  ]);
}

/**
 * Searching this many characters for a term takes as long as one step of a match, because each of them may begin the
 * term.
 */
const CHARACTERS_PER_UNIT = 2;

/** Like `compileTextQuery`, for a text in memory, for live streams. Throws WorkSpent. */
export function matchesTextQuery(query: TextQuery, text: string, work = new WorkAllowance()): boolean {
  const terms = query.include.length + query.require.length + query.exclude.length;
  work.spend(Math.ceil(((1 + terms) * text.length) / CHARACTERS_PER_UNIT));
  const folded = text.toLowerCase();
  const contains = (term: string) => folded.includes(term);
  return (
    !query.exclude.some(contains) &&
    query.require.every(contains) &&
    (query.include.length === 0 || query.include.some(contains))
  );
}
