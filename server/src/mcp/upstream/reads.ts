/** Requests that change nothing at a server, so that they can be repeated. */
import { isObject } from '../protocol/message.ts';
import { LISTS } from '../protocol/methods.ts';
import type { UpstreamRequest } from './upstream.ts';

/** `initialize` may open a session that stays unused; the server ends it after its own idle time. */
const READS: ReadonlySet<unknown> = new Set([
  ...Object.keys(LISTS),
  'initialize',
  'server/discover',
  'ping',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/list',
]);
/** A request with a larger body does not count as a read. */
const MAX_BYTES = 1024 * 1024;

/** Parses the body, because it is only called after a request has failed. */
export function isRead({ method, body }: UpstreamRequest): boolean {
  if (method !== 'POST') return method === 'GET';
  if (!body || body.length > MAX_BYTES) return false;
  try {
    const messages = [JSON.parse(body.toString('utf8')) as unknown].flat();
    return messages.length > 0 && messages.every((message) => isObject(message) && READS.has(message['method']));
  } catch {
    return false;
  }
}
