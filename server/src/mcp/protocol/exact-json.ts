/** JSON that is changed in one place and must stay as it was written everywhere else. */

/** A JavaScript standard that the types of the language do not know yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** Numbers that JavaScript would write otherwise (`1.0`, large ones) come out of `JSON.stringify` as they went in. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepNumber);
}

function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : rawJson(context.source);
}
