/** One request of the gateway itself to a server: sends a message and waits for its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { checkValues } from '../protocol/count-values.ts';
import { isResponseTo, type JsonObject, kindOf } from '../protocol/message.ts';
import { MessageReader } from './message-reader.ts';
import { type Upstream, UpstreamError, type UpstreamRequest } from './upstream.ts';

interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The answer's message, if there is one. */
  readonly message: Readonly<JsonObject> | undefined;
}

interface AskOptions {
  /** Parses the answer; by default numbers become JavaScript numbers. */
  readonly read?: (text: string) => JsonObject | undefined;
  /** Gives up when this aborts. */
  readonly signal?: AbortSignal;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Rejects with UpstreamError. A message without an id (a notification) is answered without one. */
export function ask(
  upstream: Upstream,
  method: UpstreamRequest['method'],
  headers: Readonly<Record<string, string>>,
  message: Readonly<JsonObject> | undefined,
  timeoutSeconds: number,
  { read = readQuickly, signal }: AskOptions = {},
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    const settle = (answer: UpstreamAnswer) => {
      over();
      resolve(answer);
    };
    const fail = (error: UpstreamError) => {
      over();
      reject(error);
    };
    const giveUp = () => {
      reader.abort();
      fail(new UpstreamError('connection', 'The client has disconnected.'));
    };
    const reader = new MessageReader(
      {
        message: (answer, status, received) => {
          if (!isResponseTo(answer, message?.['id'])) return;
          settle({ status, headers: received, message: answer });
          // The stream may stay open; a body has already ended.
          queueMicrotask(() => reader.abort());
        },
        end: (status, received) => settle({ status, headers: received, message: undefined }),
        fail,
      },
      { maxBytes: MAX_BYTES, read },
    );
    const timer = setTimeout(() => {
      reader.abort();
      fail(new UpstreamError('timeout', 'The server did not answer in time.'));
    }, timeoutSeconds * 1000);
    signal?.addEventListener('abort', giveUp);
    const body = message === undefined ? null : Buffer.from(JSON.stringify(message));
    const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    reader.send(upstream, { method, headers: { ...accepted, ...headers }, body });
  });
}

/**
 * Parses numbers as JavaScript numbers, because the answer is only inspected, and lists can be long. Throws
 * TooManyValues.
 */
function readQuickly(text: string): JsonObject | undefined {
  checkValues(text);
  try {
    const value: unknown = JSON.parse(text);
    return kindOf(value) === undefined ? undefined : (value as JsonObject);
  } catch {
    return undefined;
  }
}
