/**
 * Tests whether a URI matches a template. Source: RFC 6570. A simple expression (`{id}`) matches characters that are
 * not reserved; one with an operator (`{+path}`) matches any.
 */
import type { MatchedText } from '../../../fairness/foreign-work/glob.ts';
import { MAX_NAME } from '../../protocol/named-capability.ts';

/** A text, or an expression with a regular expression of the characters at which it must end. */
type Part = { readonly text: string } | { readonly stopsAt: RegExp | undefined };

const RESERVED = /[/?#[\]@!$&'()*+,;=:]/;
/** Comparing this many characters at once takes as long as checking one. */
const CHARACTERS_PER_UNIT = 8;

export class UriTemplate {
  readonly #parts: readonly Part[];

  constructor(template: string) {
    this.#parts = template
      .split(/(\{[^}]*\})/)
      .filter((part) => part !== '')
      .map((part) =>
        /^\{.*\}$/.test(part) ? { stopsAt: /^\{[A-Za-z0-9_]/.test(part) ? RESERVED : undefined } : { text: part },
      );
  }

  /**
   * Costs steps for each part of the template and each character of the URI, from the URI's allowance. Throws
   * WorkSpent.
   */
  matches(uri: MatchedText): boolean {
    const { text, work } = uri;
    work.spend(1);
    if (text.length > MAX_NAME) return false;
    const [first] = this.#parts;
    if (first && 'text' in first && !text.startsWith(first.text)) return false;
    /** The positions at which the parts so far can end. */
    let ends = new Uint8Array(text.length + 1);
    ends[0] = 1;
    for (const part of this.#parts) {
      work.spend(text.length + 1);
      const next = 'text' in part ? afterText(uri, part.text, ends) : afterExpression(text, part.stopsAt, ends);
      if (!next) return false;
      ends = next;
    }
    return ends[text.length] === 1;
  }
}

function afterText(
  { text, work }: MatchedText,
  wanted: string,
  starts: Uint8Array,
): Uint8Array<ArrayBuffer> | undefined {
  const ends = new Uint8Array(starts.length);
  let found = false;
  for (let start = starts.indexOf(1); start >= 0; start = starts.indexOf(1, start + 1)) {
    work.spend(1 + Math.ceil(wanted.length / CHARACTERS_PER_UNIT));
    if (!text.startsWith(wanted, start)) continue;
    ends[start + wanted.length] = 1;
    found = true;
  }
  return found ? ends : undefined;
}

function afterExpression(text: string, stopsAt: RegExp | undefined, starts: Uint8Array): Uint8Array<ArrayBuffer> {
  const ends = new Uint8Array(starts.length);
  const first = starts.indexOf(1);
  if (!stopsAt) return ends.fill(1, first);
  let isWithin = false;
  for (let at = first; at <= text.length; at++) {
    isWithin ||= starts[at] === 1;
    if (!isWithin) continue;
    ends[at] = 1;
    isWithin = at < text.length && !stopsAt.test(text[at]!);
  }
  return ends;
}
