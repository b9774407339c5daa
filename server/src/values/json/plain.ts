/** Distinguishes texts that the engine reads without loss from those that only our own reader reads exactly. */
import { BACKSLASH, isDigit, isSpace, QUOTE } from './characters.ts';

const DECIMALS_A_NUMBER_KEEPS = 15;
/** Below this value JavaScript writes `0.0000011` where the reference writes `1.1e-6`. */
const SMALLEST_FLOAT_PRINTED_ALIKE = 1e-5;

/**
 * True when `JSON.parse` loses nothing of the text, if it is JSON at all. One pass, which skips strings, takes about a
 * nanosecond a character, so that the engine itself parses nearly every body.
 */
export function isPlain(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const start = index + 1;
      index = endOfString(text, start);
      if (index < 0) return false;
      const first = text.charCodeAt(start);
      // JavaScript moves keys that look like array indexes to the front; an escape may hide a digit.
      if ((isDigit(first) || first === BACKSLASH) && isFollowedByColon(text, index + 1)) return false;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return false;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    } else if (isDigit(code) || code === 0x2d) {
      const start = index;
      let exact = code !== 0x2d || text.charCodeAt(index + 1) !== 0x30;
      for (;;) {
        const next = text.charCodeAt(index + 1);
        if (!isDigit(next)) {
          if (next !== 0x2e && next !== 0x65 && next !== 0x45 && next !== 0x2b && next !== 0x2d) break;
          exact = false;
        }
        index++;
      }
      if (!exact) {
        const value = Number(text.slice(start, index + 1));
        if (!(Math.abs(value) >= SMALLEST_FLOAT_PRINTED_ALIKE) || Number.isInteger(value)) return false;
        if (!Number.isFinite(value)) return false;
      } else if (index - start >= DECIMALS_A_NUMBER_KEEPS) {
        return false;
      }
    }
  }
  return true;
}

/** The end of the string whose first character is at `start`; negative if the string does not end. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0) {
    let before = end - 1;
    while (before >= start && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function isFollowedByColon(text: string, start: number): boolean {
  let index = start;
  while (isSpace(text.charCodeAt(index))) index++;
  return text.charCodeAt(index) === 0x3a;
}
