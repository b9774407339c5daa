/** A client's message in the form that every reader takes, for those that do not answer what they cannot read. */
import { readExactly } from './exact-json.ts';
import { givenIn, isObject } from './message.ts';

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/**
 * Without what JSON-RPC does not know, and without parameters that are null, which many clients send for those that they leave
 * out. The same text where there is none of that, and for a text that is no message.
 */
export function plainMessage(text: string): string {
  const message = readExactly(text);
  if (!isObject(message)) return text;
  const { params, ...rest } = message;
  const given = isObject(params) ? givenIn(params) : undefined;
  const isPlain = Object.keys(rest).every((name) => MEMBERS.has(name)) && given === params;
  if (isPlain) return text;
  const known = Object.entries(rest).filter(([name]) => MEMBERS.has(name));
  return JSON.stringify(given ? { ...Object.fromEntries(known), params: given } : Object.fromEntries(known));
}
