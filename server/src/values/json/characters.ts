/** Code units of JSON. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
export const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
