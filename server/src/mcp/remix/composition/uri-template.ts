/**
 * Tells whether a URI can come from a template. Source: RFC 6570. A plain expression (`{id}`) stands for characters that
 * are not reserved; one with an operator (`{+path}`) for any.
 */

type Part = { readonly text: string } | { readonly any: RegExp };

const PLAIN = /[^/?#[\]@!$&'()*+,;=:]/;
const ANY = /[\s\S]/;
const MAX_URI = 8192;

export class UriTemplate {
  readonly #parts: readonly Part[];

  constructor(template: string) {
    this.#parts = template
      .split(/(\{[^}]*\})/)
      .filter((part) => part !== '')
      .map((part) => (/^\{.*\}$/.test(part) ? { any: /^\{[A-Za-z0-9_]/.test(part) ? PLAIN : ANY } : { text: part }));
  }

  /** In time that grows with the length of the URI times the number of parts, whatever they hold. */
  matches(uri: string): boolean {
    if (uri.length > MAX_URI) return false;
    let ends = new Set([0]);
    for (const part of this.#parts) {
      if (ends.size === 0) return false;
      ends = 'text' in part ? afterText(uri, part.text, ends) : afterExpression(uri, part.any, ends);
    }
    return ends.has(uri.length);
  }
}

function afterText(uri: string, text: string, starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>();
  for (const start of starts) if (uri.startsWith(text, start)) ends.add(start + text.length);
  return ends;
}

function afterExpression(uri: string, allowed: RegExp, starts: ReadonlySet<number>): Set<number> {
  const ends = new Set<number>();
  let reached = -1;
  for (const start of [...starts].sort((left, right) => left - right)) {
    // A start within the last run reaches no further than that run.
    if (start <= reached) continue;
    for (let end = start; end <= uri.length; end++) {
      ends.add(end);
      reached = end;
      if (end < uri.length && !allowed.test(uri[end]!)) break;
    }
  }
  return ends;
}
