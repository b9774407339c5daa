/**
 * Patterns of schemas, which users write: matched in time that grows with the text and not with the pattern's ways to
 * match it, so that no pattern can hold the server up.
 *
 * Patterns are Python's. What the engine cannot do (look-around, back-references), what would take too long, and faulty
 * patterns are not checked: the run checks its parameters itself, with the model that the schema was made from.
 */
import { RE2JS } from 're2js';

const MAX_PATTERN_LENGTH = 1000;
/** Sum of the counts in `{n}`: each is that many copies of what it repeats. */
const MAX_REPETITIONS = 1000;
const MAX_TEXT_LENGTH = 100_000;
/** Patterns are few and come again and again with each run of a deployment. */
const REMEMBERED = 200;

const compiled = new Map<string, RE2JS | undefined>();

/** True when `pattern` is found anywhere in `text`, and when that cannot be told. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (text.length > MAX_TEXT_LENGTH) return true;
  return compile(pattern)?.test(text) ?? true;
}

/** False only for what no engine takes for a pattern. */
export function isPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH || compile(pattern)) return true;
  try {
    new RegExp(pattern.replaceAll('(?P<', '(?<').replaceAll(/\(\?P=(\w+)\)/g, '\\k<$1>'));
    return true;
  } catch {
    return false;
  }
}

function compile(pattern: string): RE2JS | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  const result = tryCompile(pattern);
  compiled.set(pattern, result);
  if (compiled.size > REMEMBERED) compiled.delete(compiled.keys().next().value ?? '');
  return result;
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

/** In Python `\w` and `\d` know all alphabets, `\Z` is the end, and `\u00e9` a character. */
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
