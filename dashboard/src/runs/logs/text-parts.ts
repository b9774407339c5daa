/** Divides the text of a log line into links, marks and plain text. */

const ADDRESS = /https?:\/\/[^\s<>"'`\\]+/gi;
/** Signs at the end belong to the sentence around the address. */
const AFTER_ADDRESS = /[.,;:!?)\]}*]+$/;
/** Links and marks of one line; more of them are plain text. */
const MOST_PARTS = 200;

interface TextPart {
  readonly text: string;
  /** Set for a link. */
  readonly href?: string;
}

/** Only addresses of the web are links. */
export function linksIn(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const found of text.matchAll(ADDRESS)) {
    const address = found[0].replace(AFTER_ADDRESS, '');
    if (parts.length >= MOST_PARTS || !URL.canParse(address)) continue;
    if (found.index > end) parts.push({ text: text.slice(end, found.index) });
    parts.push({ text: address, href: new URL(address).href });
    end = found.index + address.length;
  }
  if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end) });
  return parts;
}

interface Mark {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The text, with each place that has one of the wanted texts, in any case. */
export function marksIn(text: string, wanted: readonly string[]): Mark[] {
  // A text that is longer in lower case has other places: it is compared as it is.
  const lower = text.toLowerCase();
  const isFolded = lower.length === text.length;
  const terms = wanted.filter((term) => term !== '').map((term) => (isFolded ? term.toLowerCase() : term));
  const marks: Mark[] = [];
  let end = 0;
  while (marks.length < MOST_PARTS) {
    const next = nextOf(terms, isFolded ? lower : text, end);
    if (!next) break;
    if (next.at > end) marks.push({ text: text.slice(end, next.at), isMarked: false });
    end = next.at + next.length;
    marks.push({ text: text.slice(next.at, end), isMarked: true });
  }
  if (end < text.length || marks.length === 0) marks.push({ text: text.slice(end), isMarked: false });
  return marks;
}

/** The first place of one of the terms, and the longest of those that begin there. */
function nextOf(terms: readonly string[], text: string, from: number) {
  let next: { readonly at: number; readonly length: number } | undefined;
  for (const { length, at } of terms.map((term) => ({ length: term.length, at: text.indexOf(term, from) }))) {
    if (at >= 0 && (!next || at < next.at || (at === next.at && length > next.length))) next = { at, length };
  }
  return next;
}

/** The texts that a search by words looks for: without excluded ones, and phrases as one. */
export function wantedIn(search: string): string[] {
  return [...search.matchAll(/([-!+]?)(?:"([^"]*)"?|([^\s"]+))/g)].flatMap(([, sign, phrase, word]) => {
    const text = (phrase ?? word ?? '').trim();
    return sign === '-' || sign === '!' || /^[-!+]?$/.test(text) ? [] : [text];
  });
}

/** Lines of a message, with those that have something wanted; `undefined` stands for lines that are left out. */
export function excerptOf(message: string, wanted: readonly string[], most: number): (string | undefined)[] {
  const lines = message.split('\n');
  if (lines.length <= most) return lines;
  const terms = wanted.map((term) => term.toLowerCase());
  const has = (line: string) => terms.some((term) => line.toLowerCase().includes(term));
  const shown = new Set([0, ...lines.flatMap((line, index) => (has(line) ? [index] : []))].slice(0, most));
  for (let index = 1; shown.size < most && index < lines.length; index++) shown.add(index);
  return lines.flatMap((line, index) => {
    if (shown.has(index)) return [line];
    return shown.has(index - 1) ? [undefined] : [];
  });
}
