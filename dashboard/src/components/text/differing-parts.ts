/** Finds the part in which two texts differ, so that equal beginnings and ends take little room. */

export interface DifferingParts {
  /** The equal beginning. */
  readonly lead: string;
  readonly before: string;
  readonly now: string;
  /** The equal end. */
  readonly tail: string;
}

/** Equal characters that stay beside the part that differs. */
const MOST_EQUAL = 30;
/** A cut between two of them would leave parts of words. */
const OF_WORD = /[\p{L}\p{N}_]/u;

/** The part that differs begins and ends with whole words. */
export function differingParts(before: string, now: string): DifferingParts {
  const shortest = Math.min(before.length, now.length);
  let lead = 0;
  while (lead < shortest && before[lead] === now[lead]) lead += 1;
  while (lead > 0 && (isInWord(before, lead) || isInWord(now, lead))) lead -= 1;
  let tail = 0;
  while (tail < shortest - lead && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  while (tail > 0 && (isInWord(before, before.length - tail) || isInWord(now, now.length - tail))) tail -= 1;
  return {
    lead: before.slice(0, lead),
    before: before.slice(lead, before.length - tail),
    now: now.slice(lead, now.length - tail),
    tail: before.slice(before.length - tail),
  };
}

function isInWord(text: string, at: number): boolean {
  return OF_WORD.test(text[at - 1] ?? '') && OF_WORD.test(text[at] ?? '');
}

/** The end of an equal beginning. */
export function endOf(lead: string): string {
  return lead.length > MOST_EQUAL ? `…${lead.slice(-MOST_EQUAL)}` : lead;
}

/** The beginning of an equal end. */
export function startOf(tail: string): string {
  return tail.length > MOST_EQUAL ? `${tail.slice(0, MOST_EQUAL)}…` : tail;
}

const WORD_IN_QUOTES = /^"(?!(?:true|false|null)")([\p{L}_][^"\\]*)"$/u;

/** A value in JSON, without the quotes of a word. */
export function plainValue(json: string): string {
  return WORD_IN_QUOTES.exec(json)?.[1] ?? json;
}
