/** JSON that is changed in one place and must stay as it was written everywhere else. */

import { checkValues } from './count-values.ts';

/** JavaScript standards that the types of the language do not know yet. */
const { rawJSON: rawJson, isRawJSON: isRawJson } = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** Numbers that JavaScript would write otherwise (`1.0`, large ones) come out of `JSON.stringify` as they went in. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepNumber);
}

/** The same for a text that a server sent; undefined for one that is not JSON. Throws TooManyValues. */
export function readExactly(text: string): unknown {
  checkValues(text);
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** True for a number that is kept as it was written. */
export function isRawNumber(value: unknown): boolean {
  return isRawJson(value);
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : rawJson(context.source);
}
