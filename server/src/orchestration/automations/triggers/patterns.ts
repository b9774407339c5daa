/**
 * Patterns of triggers. Labels are compared case-sensitively: `*` is any text, `?` one character, `[ab]` and `[!a-z]`
 * one of a set, and a leading `!` negates the rest. In event names `*` is one character or more, and no other character
 * is special. Source: answers of the Prefect server 3.9.1 (`patterns.test.ts`). Filters of events differ, see
 * `events/label-pattern.ts`.
 */
import { CharacterSet, Glob, type MatchedText, type Token } from '../../../fairness/foreign-work/glob.ts';

/** Throws WorkSpent. */
export type TextTest = (text: MatchedText) => boolean;

export function compileNamePattern(pattern: string): TextTest {
  if (!pattern.includes('*')) return (name) => name.equals(pattern);
  const glob = new Glob(pattern, (characters) =>
    characters.flatMap((character): Token[] => (character === '*' ? ['one', 'any'] : [exactly(character)])),
  );
  return (name) => glob.matches(name);
}

export function compileLabelPattern(pattern: string): TextTest {
  const isNegated = pattern.startsWith('!');
  const text = isNegated ? pattern.slice(1) : pattern;
  const glob = /[*?[]/.test(text) ? new Glob(text, labelTokens) : undefined;
  const matches: TextTest = glob ? (value) => glob.matches(value) : (value) => value.equals(text);
  return isNegated ? (value) => !matches(value) : matches;
}

function exactly(character: string): Token {
  return character.codePointAt(0)!;
}

function labelTokens(pattern: readonly string[]): Token[] {
  const tokens: Token[] = [];
  const lastEnd = pattern.lastIndexOf(']');
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]!;
    const end = character === '[' && index < lastEnd ? endOfSet(pattern, index) : -1;
    if (end > 0) {
      tokens.push(oneOfSet(pattern.slice(index + 1, end)));
      index = end;
    } else {
      tokens.push(character === '*' ? 'any' : character === '?' ? 'one' : exactly(character));
    }
  }
  return tokens;
}

/** A `]` directly after the start of a set belongs to the set. */
function endOfSet(pattern: readonly string[], start: number): number {
  const first = pattern[start + 1] === '!' ? start + 2 : start + 1;
  return pattern.indexOf(']', first + 1);
}

function oneOfSet(written: readonly string[]): CharacterSet {
  const isNegated = written[0] === '!';
  const set = isNegated ? written.slice(1) : written;
  const ranges: (readonly [string, string])[] = [];
  for (let index = 0; index < set.length; index++) {
    const from = set[index]!;
    const isRange = set[index + 1] === '-' && index + 2 < set.length;
    ranges.push([from, isRange ? set[index + 2]! : from]);
    if (isRange) index += 2;
  }
  return new CharacterSet(ranges, isNegated);
}
