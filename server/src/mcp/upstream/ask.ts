/** One question of the gateway itself to a server: sends a message and waits for the answer to it. */
import type { IncomingHttpHeaders } from 'node:http';
import { dataOf, EventSplitter } from '../protocol/event-stream.ts';
import { isResponseTo } from '../protocol/message.ts';
import { type Upstream, type UpstreamCall, UpstreamError, type UpstreamRequest } from './upstream.ts';

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The message that answers, when there is one. */
  readonly message: Readonly<Record<string, unknown>> | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Rejects with UpstreamError. A message without an id (a notification) is answered without one. */
export function ask(
  upstream: Upstream,
  method: UpstreamRequest['method'],
  headers: Readonly<Record<string, string>>,
  message: Readonly<Record<string, unknown>> | undefined,
  timeoutSeconds: number,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const splitter = new EventSplitter();
    const parts: Buffer[] = [];
    let size = 0;
    let begun: { status: number; headers: IncomingHttpHeaders; events: boolean } | undefined;
    const timer = setTimeout(
      () => fail(new UpstreamError('timeout', 'The server did not answer in time.')),
      timeoutSeconds * 1000,
    );
    const settle = (answer: UpstreamAnswer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const fail = (error: UpstreamError) => {
      clearTimeout(timer);
      call?.abort();
      reject(error);
    };
    const body = message === undefined ? null : Buffer.from(JSON.stringify(message));
    let call: UpstreamCall | undefined;
    call = upstream.send(
      {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body,
      },
      {
        begin: (status, received) => {
          begun = { status, headers: received, events: !!received['content-type']?.startsWith('text/event-stream') };
        },
        data: (chunk) => {
          size += chunk.length;
          if (size > MAX_BYTES) fail(new UpstreamError('answer', 'The answer of the server is too large.'));
          else if (!begun?.events) parts.push(chunk);
          else {
            for (const event of splitter.push(chunk)) {
              const answer = answerIn(dataOf(event) ?? '', message?.['id']);
              if (!answer) continue;
              settle({ status: begun.status, headers: begun.headers, message: answer });
              queueMicrotask(() => call?.abort());
            }
          }
          return true;
        },
        end: () => {
          const { status, headers: received } = begun!;
          settle({
            status,
            headers: received,
            message: answerIn(Buffer.concat(parts).toString('utf8'), message?.['id']),
          });
        },
        fail,
      },
    );
  });
}

function answerIn(text: string, id: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isResponseTo(value, id) ? value : undefined;
  } catch {
    return undefined;
  }
}
