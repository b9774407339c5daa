const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * True when a JSON text holds more than `most` keys and values, so that parsing it would take long. It looks at the
 * characters between values only, and of a text that is not JSON it may say either.
 */
export function holdsMoreValues(text: string, most: number): boolean {
  let count = 1;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        if (index < 0) return false;
        break;
      // Each comma is followed by a value or a key, each colon by a value, each bracket by the first of them.
      case 0x2c:
      case 0x3a:
      case 0x5b:
      case 0x7b:
        if (++count > most) return true;
        break;
    }
  }
  return false;
}

/** The index of the quote that ends the string which begins at `start`; negative without one. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** A quote after an odd number of backslashes does not end the string. */
function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
