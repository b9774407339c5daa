/**
 * Converts a client's message to the form that every reader accepts, because some do not answer a message that they
 * cannot read.
 */
import { parseExactly } from './exact-json.ts';
import { givenIn, isObject, type JsonObject } from './message.ts';

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/**
 * Removes members that JSON-RPC does not define, and null parameters, which many clients send for omitted ones. A text
 * without any of these, or that is not a message, stays unchanged.
 */
export function plainMessage(text: string): string {
  if (isPlain(parsed(text))) return text;
  // Numbers keep their notation.
  const { params, ...rest } = parseExactly(text) as JsonObject;
  const known = Object.fromEntries(Object.entries(rest).filter(([name]) => MEMBERS.has(name)));
  return JSON.stringify(isObject(params) ? { ...known, params: givenIn(params) } : known);
}

/** True also for a value that is not a message. */
export function isPlain(value: unknown): boolean {
  if (!isObject(value)) return true;
  const { params } = value;
  if (params === null || (isObject(params) && givenIn(params) !== params)) return false;
  return Object.keys(value).every((name) => MEMBERS.has(name));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
