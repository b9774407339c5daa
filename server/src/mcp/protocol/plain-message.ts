/** A client's message in the form that every reader takes, for those that do not answer what they cannot read. */
import { parseExactly } from './exact-json.ts';
import { givenIn, isObject, type JsonObject } from './message.ts';

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/**
 * Without what JSON-RPC does not know, and without parameters that are null, which many clients send for those that they leave
 * out. The text stays as it is where it has none of that, and where it is not a message.
 */
export function plainMessage(text: string): string {
  if (isPlain(parsed(text))) return text;
  // Numbers stay as they were written.
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
