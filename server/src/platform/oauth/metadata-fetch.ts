/** Fetches the metadata documents of clients, with the guard for targets that strangers choose. */

import { responseOf } from '../../outbound/foreign-answer.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';
import { type OutboundAnswer, send } from '../../outbound/send.ts';
import { normalMetadata } from './client-metadata.ts';

const TIMEOUT_SECONDS = 5;
const MAX_BYTES = 64 * 1024;

/** A `fetch` for the OAuth library. Throws OutboundError when the guard refuses, or when no answer comes. */
export function metadataFetch(targets: { current(): Promise<TargetPolicy> }): typeof fetch {
  return async (address) => {
    const url = String(address instanceof Request ? address.url : address);
    const policy = await targets.current();
    const answer = await send(
      { method: 'GET', url, headers: { accept: 'application/json' } },
      { ...policy, timeoutSeconds: TIMEOUT_SECONDS, maxResponseBytes: MAX_BYTES },
    );
    return documentOf(url, answer);
  };
}

function documentOf(url: string, { status, headers, body }: OutboundAnswer): Response {
  const cacheControl = headers['cache-control'];
  const kept = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
  return responseOf(status, kept, normalDocument(url, body));
}

/** Converts a client's metadata document to one that this server supports; any other document stays unchanged. */
function normalDocument(url: string, body: string): string {
  try {
    const document: unknown = JSON.parse(body);
    const isClient = typeof document === 'object' && document !== null && 'client_id' in document;
    return isClient && document.client_id === url ? JSON.stringify(normalMetadata({ ...document })) : body;
  } catch {
    return body;
  }
}
