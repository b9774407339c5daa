/**
 * The position of a value in JSON text, so that one value is replaced and all other bytes stay: numbers keep their
 * digits, objects their order. The text has been parsed before, so its syntax is not checked again.
 */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Undefined when the value does not exist. The last of repeated keys counts, as for `JSON.parse`. */
export function spanOf(text: string, path: readonly string[]): Span | undefined {
  let span: Span = { start: skipSpace(text, 0), end: text.length };
  for (const key of path) {
    const found = memberOf(text, span.start, key);
    if (!found) return undefined;
    span = found;
  }
  return span;
}

export function textAt(text: string, span: Span): string {
  return text.slice(span.start, span.end);
}

export function replaceAt(text: string, span: Span, value: string): string {
  return text.slice(0, span.start) + value + text.slice(span.end);
}

/** Replaces the value at `path`; the text stays unchanged when there is none. */
export function withValue(text: string, path: readonly string[], value: string): string {
  const span = spanOf(text, path);
  return span ? replaceAt(text, span, value) : text;
}

function memberOf(text: string, start: number, key: string): Span | undefined {
  if (text[start] !== '{') return undefined;
  let found: Span | undefined;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const endOfKey = skipString(text, at);
    const isKey = JSON.parse(text.slice(at, endOfKey)) === key;
    const value = skipSpace(text, skipSpace(text, endOfKey) + 1);
    const end = skipValue(text, value);
    if (isKey) found = { start: value, end };
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return found;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return at;
    at++;
  }
}

/** The end of the value that begins at `from`. */
function skipValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return skipString(text, from);
  if (first !== '{' && first !== '[') {
    const length = text.slice(from, from + 64).search(/[\s,\]}]/);
    if (length !== -1) return from + length;
    const rest = text.slice(from).search(/[\s,\]}]/);
    return rest === -1 ? text.length : from + rest;
  }
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      at = skipString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    at++;
    if (depth === 0) return at;
  }
  return text.length;
}

function skipString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at !== -1) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
  return text.length;
}
