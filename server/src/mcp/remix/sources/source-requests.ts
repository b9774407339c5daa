/**
 * Converts requests of clients to requests of a source: with the source's names and ids, and all other bytes unchanged.
 */
import { encodedHeader } from '../../protocol/era.ts';
import { withValue } from '../../protocol/json-span.ts';
import type { JsonObject, Request } from '../../protocol/message.ts';
import { NAMED_BY } from '../../protocol/methods.ts';
import { withTaskIds } from '../../protocol/task-ids.ts';
import type { UpstreamRequest } from '../../upstream/upstream.ts';
import { openKeyedId } from './source-ids.ts';

/** The request with the capability's name at the source; undefined for a request that names none. */
export function requestForSource(
  request: UpstreamRequest,
  { method, params }: Request,
  name?: string,
): UpstreamRequest {
  const body = withSourceTaskIds(request.body);
  const key = NAMED_BY[method];
  const named = name ?? (key === 'taskId' ? openKeyedId(String(params['taskId']))?.id : undefined);
  const headers =
    named === undefined || request.headers['mcp-name'] === undefined
      ? request.headers
      : { ...request.headers, 'mcp-name': encodedHeader(named) };
  return { ...request, headers, body: name === undefined ? body : withName(body, method, name) };
}

/** The message with the source's ids of tasks. */
export function withSourceTaskIds(body: Buffer | null): Buffer | null {
  if (body === null) return null;
  const text = body.toString('utf8');
  // Without escapes, a key has this spelling in the text.
  if (!text.includes('taskId') && !text.includes('\\u')) return body;
  return withTaskIds(text, JSON.parse(text) as JsonObject, (id) => openKeyedId(id)?.id) ?? body;
}

/** The message with the JSON value `text` at `path`. */
export function withJsonAt(body: Buffer | null, path: readonly string[], text: string): Buffer | null {
  return body && Buffer.from(withValue(body.toString('utf8'), path, text));
}

function withName(body: Buffer | null, method: string, name: string): Buffer | null {
  const text = JSON.stringify(name);
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return withJsonAt(body, ['params', 'name'], text);
    case 'completion/complete':
      // A reference has exactly one of the two.
      return withJsonAt(withJsonAt(body, ['params', 'ref', 'name'], text), ['params', 'ref', 'uri'], text);
    default:
      return withJsonAt(body, ['params', 'uri'], text);
  }
}
