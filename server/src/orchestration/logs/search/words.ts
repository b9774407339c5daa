/**
 * The words of log lines. A word is a run of letters and digits, in lower case. In scripts without spaces between words
 * each character is a word, and so is a pictogram.
 */
import type { IndexedWord } from '../../../database/dialect/dialect.ts';

const SPACELESS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const LETTER = `[[\\p{L}\\p{N}\\p{M}]--[${SPACELESS}]]`;
const word = new RegExp(`[${SPACELESS}]|${LETTER}+|\\p{So}`, 'gv');
const letter = new RegExp(`^${LETTER}$`, 'v');
const ASCII_TEXT = /^[\0-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
/** A longer word is found by these first characters. */
const LONGEST_WORD = 64;
/** Shorter words are found whole: too many words begin with one or two letters. */
const SHORTEST_BEGINNING = 3;

export function wordsIn(text: string): readonly string[] {
  const folded = text.toLowerCase();
  return folded.match(ASCII_TEXT.test(folded) ? ASCII_WORD : word) ?? [];
}

/** A word as the index holds it. Words of different workspaces differ, so that no search visits those of another. */
export function indexed(workspace: number, word: string): string {
  return `${workspace}x${word.length > LONGEST_WORD ? shortened(word) : word}`;
}

function shortened(word: string): string {
  return word
    .slice(0, LONGEST_WORD)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

/** The word of blocks that have a line of at least this level. */
export function indexedLevel(workspace: number, level: number): string {
  return `${workspace}l${level}`;
}

/** The words that every line has in which the term begins; see `beginsIn`. The last word may go on after the term. */
export function wordsOfTerm(workspace: number, term: string): IndexedWord[] {
  const words = wordsIn(term);
  const isWhole = isShort(term);
  return words.flatMap((word, index) => {
    const goesOn = !isWhole && index === words.length - 1 && term.endsWith(word) && isWordCharacter(word, 0);
    if (goesOn && word.length < SHORTEST_BEGINNING) return [];
    return [{ text: indexed(workspace, word), isBeginning: goesOn }];
  });
}

/** A single short word, which is only found whole. */
function isShort(term: string): boolean {
  const [word, ...others] = wordsIn(term);
  return word === term && others.length === 0 && term.length < SHORTEST_BEGINNING && isWordCharacter(term, 0);
}

/** True if the term occurs in the text, at the beginning of a word. Both are in lower case. */
export function beginsIn(text: string, term: string): boolean {
  const begins = isWordCharacter(term, 0);
  const isWhole = isShort(term);
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    if (begins && at > 0 && isWordCharacter(text, at - 1)) continue;
    if (isWhole && isWordCharacter(text, at + term.length)) continue;
    return true;
  }
  return false;
}

/** True for a character that continues the word of the one beside it. */
function isWordCharacter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80)
    return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
  const isTrailing = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
  const point = text.codePointAt(isTrailing ? at - 1 : at);
  return point !== undefined && letter.test(String.fromCodePoint(point));
}
