/**
 * Patterns of schemas, which users write. Matching time is linear in the length of the text, so that no pattern can
 * block the server.
 *
 * Patterns are Python's. The server skips patterns that the engine does not support (look-around, back-references),
 * that would take too long, or that are faulty: the run itself checks its parameters with the model from which the
 * schema was made.
 */

import { RE2JS } from 're2js';
import { BoundedMap } from '../values/bounded-map.ts';

const MAX_PATTERN_LENGTH = 1000;
/** Sum of the counts in `{n}`. Each makes that many copies of the repeated part. */
const MAX_REPETITIONS = 1000;
/** Compiled patterns that are kept. There are few patterns, and each run of a deployment uses the same ones. */
const REMEMBERED = 200;

/** A compiled pattern, with its costs in the units of `Walk.spend`. */
export interface Pattern {
  readonly compileWork: number;
  matchWork(text: string): number;
  /** True when it is found anywhere in `text`, or when the search is impossible. */
  matches(text: string): boolean;
}

const remembered = new BoundedMap<string, { readonly expression: RE2JS | undefined }>({
  name: 'schema patterns',
  most: REMEMBERED,
});

/** Never throws. A pattern that is faulty, or that the engine cannot match, fits every text and costs nothing. */
export function compilePattern(pattern: string): Pattern {
  const expression = remember(pattern);
  if (!expression) return { compileWork: 1 + pattern.length, matchWork: () => 0, matches: () => true };
  const size = expression.programSize();
  return {
    // Measured: a class such as \w, 13 characters for the engine, takes 0.1 ms.
    compileWork: 200 + 120 * inEngineSyntax(pattern).length + 10 * size,
    // Measured for each character and instruction: up to 25 nanoseconds, in patterns of over 1000 instructions up to 110.
    matchWork: (text) => 15 + Math.ceil((text.length * size) / (size > 256 ? 1 : 4)),
    matches: (text) => expression.test(text),
  };
}

/** False only for a text that no engine accepts as a pattern. */
export function isPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH || remember(pattern)) return true;
  try {
    new RegExp(pattern.replaceAll('(?P<', '(?<').replaceAll(/\(\?P=(\w+)\)/g, '\\k<$1>'));
    return true;
  } catch {
    return false;
  }
}

function remember(pattern: string): RE2JS | undefined {
  return remembered.getOrMake(pattern, () => ({ expression: tryCompile(pattern) })).expression;
}

function tryCompile(pattern: string): RE2JS | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const repetitions = pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g);
  let copies = 0;
  for (const [, low, high] of repetitions) copies += Math.max(Number(low), Number(high ?? 0));
  if (copies > MAX_REPETITIONS) return undefined;
  try {
    return RE2JS.compile(inEngineSyntax(pattern));
  } catch {
    return undefined;
  }
}

const OUTSIDE_CLASS: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: '[\\p{L}\\p{N}_]',
  W: '[^\\p{L}\\p{N}_]',
  Z: '\\z',
};
const INSIDE_CLASS: Readonly<Record<string, string>> = { d: '\\p{Nd}', D: '\\P{Nd}', w: '\\p{L}\\p{N}_' };

/** Translates Python's syntax: `\w` and `\d` match all alphabets, `\Z` is the end, and `\u00e9` a character. */
function inEngineSyntax(pattern: string): string {
  let result = '';
  let inClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    if (character !== '\\') {
      if (character === '[') inClass = true;
      else if (character === ']') inClass = false;
      result += character;
      continue;
    }
    const escaped = pattern.charAt(++index);
    const codePoint = /^(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(pattern.slice(index, index + 9));
    if (codePoint) {
      result += `\\x{${codePoint[1] ?? codePoint[2]}}`;
      index += codePoint[0].length - 1;
    } else {
      result += (inClass ? INSIDE_CLASS : OUTSIDE_CLASS)[escaped] ?? `\\${escaped}`;
    }
  }
  return result;
}
