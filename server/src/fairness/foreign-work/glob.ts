/**
 * The matcher for all patterns that users write. Characters are those of Unicode, not UTF-16 units, and case counts.
 *
 * `*` divides a pattern into parts. The first and the last have one place each; each other part takes the first place
 * after the part before it, because an earlier place leaves more text for the parts behind it. So no part is searched
 * for twice, and the search for the parts passes over the text once. A part of only characters is found in linear time
 * (Knuth, Morris and Pratt: the place in the text only rises, and the place in the part rises at most once for each
 * character and falls no more often than it rose). Characters that are free at the ends of a part only move where it
 * begins and ends. So a pattern without a set, and without `?` between two characters, takes time linear in pattern and
 * text. Other parts are compared at each place, at most the product of both lengths; each comparison draws from the
 * allowance, which bounds it.
 */
import { unmatchedTexts } from '../../watching/telemetry.ts';
import type { WorkAllowance } from './allowance.ts';

/** A set of characters, or the complement of one. */
export class CharacterSet {
  readonly #ranges: readonly (readonly [from: string, to: string])[];
  readonly #isNegated: boolean;

  constructor(ranges: readonly (readonly [from: string, to: string])[], isNegated: boolean) {
    this.#ranges = ranges;
    this.#isNegated = isNegated;
  }

  /** Comparisons that a test may take. */
  get work(): number {
    return this.#ranges.length;
  }

  has(point: number): boolean {
    const character = String.fromCodePoint(point);
    return this.#ranges.some(([from, to]) => character >= from && character <= to) !== this.#isNegated;
  }
}

/** One place of a pattern: any text, any one character, a code point, or a character of a set. */
export type Token = 'any' | 'one' | number | CharacterSet;
type Single = Exclude<Token, 'any'>;

/** A longer text matches no pattern. In UTF-16 units. */
export const MAX_MATCHED = 65_536;

/** True for a label that is too long for every filter and trigger. The metric of unmatched texts counts it. */
export function isTooLongToMatch(label: string): boolean {
  if (label.length <= MAX_MATCHED) return false;
  unmatchedTexts.note({ cause: 'label_length' });
  return true;
}

/** A text that is compared with patterns, at the cost of `work`. It is decomposed once for all of them. */
export class MatchedText {
  readonly text: string;
  readonly work: WorkAllowance;
  #points: Uint32Array | undefined;

  constructor(text: string, work: WorkAllowance) {
    this.text = text;
    this.work = work;
  }

  /** Throws WorkSpent. */
  equals(other: string): boolean {
    this.work.spend(this.text.length === other.length ? 1 + (this.text.length >> 4) : 1);
    return this.text === other;
  }

  /** Its code points. Throws WorkSpent. */
  get points(): Uint32Array {
    if (!this.#points) {
      this.work.spend(this.text.length);
      this.#points = pointsOf(this.text);
    }
    return this.#points;
  }
}

/** One part of a pattern, between two stars. */
class Part {
  readonly length: number;
  /** Number of `?` at its beginning and at its end. */
  readonly #before: number;
  readonly #after: number;
  readonly #middle: readonly Single[];
  /**
   * The place at which a search continues after a mismatch, for each place; undefined if the middle has other tokens
   * than characters.
   */
  readonly #resume: Uint32Array | undefined;

  constructor(tokens: readonly Single[]) {
    this.length = tokens.length;
    const first = tokens.findIndex((token) => token !== 'one');
    const last = tokens.findLastIndex((token) => token !== 'one');
    this.#before = first < 0 ? tokens.length : first;
    this.#after = first < 0 ? 0 : tokens.length - 1 - last;
    this.#middle = first < 0 ? [] : tokens.slice(first, last + 1);
    this.#resume = this.#middle.every((token) => typeof token === 'number') ? resumeTable(this.#middle) : undefined;
  }

  fitsAt(points: Uint32Array, at: number, work: WorkAllowance): boolean {
    return this.#middleFits(points, at + this.#before, work);
  }

  /** The end of its first match between `from` and `limit`; negative if there is none. */
  endOfFirst(points: Uint32Array, from: number, limit: number, work: WorkAllowance): number {
    const start = from + this.#before;
    const end = limit - this.#after;
    const found = this.#resume
      ? this.#findCharacters(points, start, end, this.#resume, work)
      : this.#findMiddle(points, start, end, work);
    return found < 0 ? -1 : found + this.#middle.length + this.#after;
  }

  #findCharacters(points: Uint32Array, from: number, end: number, resume: Uint32Array, work: WorkAllowance): number {
    const wanted = this.#middle;
    if (from + wanted.length > end) return -1;
    if (wanted.length === 0) return from;
    let matched = 0;
    let at = from;
    while (at < end && matched < wanted.length) {
      while (matched > 0 && wanted[matched] !== points[at]) matched = resume[matched - 1]!;
      if (wanted[matched] === points[at]) matched++;
      at++;
    }
    work.spend(1 + at - from);
    return matched === wanted.length ? at - matched : -1;
  }

  #findMiddle(points: Uint32Array, from: number, end: number, work: WorkAllowance): number {
    for (let at = from; at + this.#middle.length <= end; at++) {
      work.spend(1);
      if (this.#middleFits(points, at, work)) return at;
    }
    return -1;
  }

  #middleFits(points: Uint32Array, at: number, work: WorkAllowance): boolean {
    let cost = 0;
    let place = 0;
    while (place < this.#middle.length) {
      const token = this.#middle[place]!;
      cost += token instanceof CharacterSet ? 4 + token.work : 1;
      if (!fits(token, points[at + place]!)) break;
      place++;
    }
    // The caller has already paid for the first comparison at this place.
    if (cost > 1) work.spend(cost - 1);
    return place === this.#middle.length;
  }
}

/** Units that compiling a pattern costs for each of its characters, and for each of its parts. */
const UNITS_TO_COMPILE = { character: 8, part: 16 };

export class Glob {
  readonly #pattern: string;
  readonly #tokensOf: (pattern: readonly string[]) => readonly Token[];
  #parts: readonly Part[] | undefined;
  #shortest = 0;

  /** `tokensOf` reads the characters of the pattern. It runs at the first match, which pays for it. */
  constructor(pattern: string, tokensOf: (pattern: readonly string[]) => readonly Token[]) {
    this.#pattern = pattern;
    this.#tokensOf = tokensOf;
  }

  /** True when it matches the whole text. Throws WorkSpent. */
  matches(matched: MatchedText): boolean {
    const { text, work } = matched;
    work.spend(1);
    if (text.length > MAX_MATCHED) return false;
    this.#parts ??= this.#compile(work);
    if (text.length < this.#shortest) return false;
    const { points } = matched;
    const [first, last] = [this.#parts[0]!, this.#parts.at(-1)!];
    if (points.length < this.#shortest) return false;
    if (this.#parts.length === 1 && points.length !== first.length) return false;
    if (!first.fitsAt(points, 0, work)) return false;
    if (this.#parts.length === 1) return true;
    const limit = points.length - last.length;
    if (!last.fitsAt(points, limit, work)) return false;
    let at = first.length;
    for (let index = 1; index < this.#parts.length - 1; index++) {
      at = this.#parts[index]!.endOfFirst(points, at, limit, work);
      if (at < 0) return false;
    }
    return at <= limit;
  }

  #compile(work: WorkAllowance): readonly Part[] {
    work.spend(UNITS_TO_COMPILE.character * this.#pattern.length);
    const parts: Single[][] = [[]];
    for (const token of this.#tokensOf([...this.#pattern])) {
      if (token === 'any') parts.push([]);
      else parts.at(-1)!.push(token);
    }
    work.spend(UNITS_TO_COMPILE.part * parts.length);
    this.#shortest = parts.reduce((sum, { length }) => sum + length, 0);
    // Adjacent stars mean the same as one.
    return parts
      .filter(({ length }, index) => length > 0 || index === 0 || index === parts.length - 1)
      .map((part) => new Part(part));
  }
}

/** `*` is any text, including none, and `?` is one character. No other character is special, so `*` matches slashes. */
export function parseGlob(pattern: string): Glob {
  return new Glob(pattern, (characters) =>
    characters.map((character) => wildcard(character) ?? character.codePointAt(0)!),
  );
}

function wildcard(character: string): 'any' | 'one' | undefined {
  return character === '*' ? 'any' : character === '?' ? 'one' : undefined;
}

export function hasWildcards(pattern: string): boolean {
  return pattern.includes('*') || pattern.includes('?');
}

function fits(token: Single, point: number): boolean {
  if (typeof token === 'number') return token === point;
  return token === 'one' || token.has(point);
}

function pointsOf(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index)!;
    if (point > 0xffff) index++;
    points[count++] = point;
  }
  return points.subarray(0, count);
}

/**
 * The failure table of Knuth, Morris and Pratt: for each place, the length of the longest prefix that is also a suffix
 * of the text up to and including this place.
 */
function resumeTable(wanted: readonly Single[]): Uint32Array {
  const table = new Uint32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (matched > 0 && wanted[matched] !== wanted[at]) matched = table[matched - 1]!;
    if (wanted[matched] === wanted[at]) matched++;
    table[at] = matched;
  }
  return table;
}
