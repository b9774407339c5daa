/** Edits JSON in one place and keeps its notation everywhere else. */

import { checkValues } from './count-values.ts';

/** JavaScript functions that the TypeScript library does not declare yet. */
const { rawJSON: rawJson, isRawJSON: isRawJson } = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/**
 * Keeps the notation of numbers that JavaScript would print differently (`1.0`, large ones), so that `JSON.stringify`
 * prints them unchanged.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepNumber);
}

/** Like `parseExactly`, for a text of a server; undefined if it is not JSON. Throws TooManyValues. */
export function readExactly(text: string): unknown {
  checkValues(text);
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** True for a number that keeps its notation. */
export function isRawNumber(value: unknown): boolean {
  return isRawJson(value);
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : rawJson(context.source);
}
