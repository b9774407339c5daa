/**
 * Patterns of triggers. Labels are compared letter by letter: `*` is any text, `?` one character, `[ab]` and `[!a-z]`
 * one of a set, and a leading `!` negates the rest. In event names `*` is one character or more, and no other character
 * is special. Source: answers of the Prefect server 3.9.1 (`patterns.test.ts`). Filters of events differ, see
 * `events/label-pattern.ts`.
 *
 * A match takes at most the product of both lengths. Where that is too much, a pattern with wildcards does not match.
 */

/** Some tens of milliseconds. */
const MAX_STEPS = 10_000_000;

/** The meaning of one place of a pattern: any text, or one character that passes. */
type Token = 'any' | ((character: string) => boolean);

export type TextTest = (text: string) => boolean;

export function compileNamePattern(pattern: string): TextTest {
  if (!pattern.includes('*')) return (name) => name === pattern;
  return compileTokens(
    [...pattern].flatMap((character) => (character === '*' ? [anyOne, 'any'] : [exactly(character)])),
  );
}

export function compileLabelPattern(pattern: string): TextTest {
  const isNegated = pattern.startsWith('!');
  const text = isNegated ? pattern.slice(1) : pattern;
  const matches = /[*?[]/.test(text) ? compileTokens(labelTokens([...text])) : (value: string) => value === text;
  return isNegated ? (value) => !matches(value) : matches;
}

function anyOne(): boolean {
  return true;
}

function exactly(wanted: string): Token {
  return (character) => character === wanted;
}

function labelTokens(pattern: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index]!;
    const end = character === '[' ? endOfSet(pattern, index) : -1;
    if (end > 0) {
      tokens.push(oneOfSet(pattern.slice(index + 1, end)));
      index = end;
    } else {
      tokens.push(character === '*' ? 'any' : character === '?' ? anyOne : exactly(character));
    }
  }
  return tokens;
}

/** A `]` at the very beginning of a set belongs to the set. */
function endOfSet(pattern: readonly string[], start: number): number {
  const first = pattern[start + 1] === '!' ? start + 2 : start + 1;
  return pattern.indexOf(']', first + 1);
}

function oneOfSet(written: readonly string[]): Token {
  const isNegated = written[0] === '!';
  const set = isNegated ? written.slice(1) : written;
  const ranges: (readonly [string, string])[] = [];
  for (let index = 0; index < set.length; index++) {
    const from = set[index]!;
    const isRange = set[index + 1] === '-' && index + 2 < set.length;
    ranges.push([from, isRange ? set[index + 2]! : from]);
    if (isRange) index += 2;
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNegated;
}

function compileTokens(tokens: readonly Token[]): TextTest {
  return (text) => {
    if (tokens.length * text.length > MAX_STEPS) return false;
    const value = [...text];
    let at = 0;
    let place = 0;
    let star = -1;
    let starAt = 0;
    while (at < value.length) {
      const token = tokens[place];
      if (token === 'any') {
        star = place++;
        starAt = at;
      } else if (token?.(value[at]!)) {
        place++;
        at++;
      } else if (star >= 0) {
        place = star + 1;
        at = ++starAt;
      } else {
        return false;
      }
    }
    while (tokens[place] === 'any') place++;
    return place === tokens.length;
  };
}
