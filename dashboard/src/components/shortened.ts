/** Characters of a cell, a title or a sentence: more is cut off by the page anyway, and laying it out takes time. */
const MOST = 2000;
/** Characters of a text that somebody reads to its end: the description of a tool, a value. */
export const MOST_TO_READ = 20_000;

/** The beginning of a text that others wrote. */
export function shortened(text: string, most = MOST): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
