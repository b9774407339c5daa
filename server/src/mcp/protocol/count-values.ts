const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A message with more keys and values would block the event loop: this many take 10 ms to parse, and up to 200 ms to
 * translate into the other era.
 */
export const MAX_VALUES = 50_000;
/** A shorter text cannot contain as many. */
const MANY_CHARACTERS = 2 * MAX_VALUES;

/** A message of a server with too many values. */
export class TooManyValues extends Error {
  constructor() {
    super(`The answer of the server contains more than ${MAX_VALUES} values.`);
  }
}

/** True when a text has more values than a message may have. */
export function holdsTooManyValues(text: string): boolean {
  return text.length > MANY_CHARACTERS && holdsMoreValues(text, MAX_VALUES);
}

/** Throws TooManyValues, before a server's text is parsed. */
export function checkValues(text: string): void {
  if (holdsTooManyValues(text)) throw new TooManyValues();
}

/**
 * True when a JSON text has more than `most` keys and values, so that parsing it would take long. It only reads the
 * characters between values, and for a text that is not JSON it may return either.
 */
function holdsMoreValues(text: string, most: number): boolean {
  let count = 1;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        if (index < 0) return false;
        break;
      // Each comma is followed by a value or a key, each colon by a value, each bracket by its first element.
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

/** The index of the quote that ends the string which begins at `start`; negative if there is none. */
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
