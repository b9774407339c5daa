/** A `fetch` for the OAuth library, with the guard for addresses that users choose. */
import { responseOf } from '../../outbound/foreign-answer.ts';
import type { TargetPolicy } from '../../outbound/guard.ts';
import { send } from '../../outbound/send.ts';

export const ASKING_SECONDS = 15;
const MAX_BYTES = 256 * 1024;

interface FetchOptions {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0] | undefined;
  readonly body?: unknown;
}

/** Rejects with OutboundError when the guard refuses, or when no answer comes. */
export function guardedFetch(policy: TargetPolicy) {
  return async (url: string, { method = 'GET', headers, body }: FetchOptions): Promise<Response> => {
    const given = { method, url, headers: Object.fromEntries(new Headers(headers)), body: bodyOf(body) };
    const answer = await send(given, { ...policy, timeoutSeconds: ASKING_SECONDS, maxResponseBytes: MAX_BYTES });
    return responseOf(answer.status, answer.headers, answer.body);
  };
}

function bodyOf(body: unknown): string | undefined {
  return body === undefined || body === null ? undefined : String(body);
}
