/** Characters of a cell, a title or a sentence: the page cuts off more anyway, and rendering it takes time. */
const MOST = 2000;
/** Characters of a text that people read to its end: the description of a tool, a value. */
export const MOST_TO_READ = 20_000;

/** The beginning of a user's text. */
export function shortened(text: string, most = MOST): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
