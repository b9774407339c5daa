/** Passes a request on to another process as it came, and its answer back. The other process decides and records it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Agent, request as connect } from 'node:https';
import { atClose } from '../network/at-close.ts';
import { HOP_BY_HOP } from '../network/hop-by-hop.ts';
import { guarded } from '../watching/background.ts';

/** The address of the client's connection, which the other process does not see. */
export const CLIENT_HEADER = 'signalbox-client';
/** Below this path a process takes requests that were passed on. */
export const PASSED_PATH = '/requests';
/** A client's own `CLIENT_HEADER` would be believed. */
const NOT_PASSED: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'expect', CLIENT_HEADER]);
const CONNECT_MILLISECONDS = 5000;

/** Exactly one of them is called, unless the client goes. */
export interface Passed {
  /** The other process answers. */
  began(): void;
  /** The other process has not begun an answer, and the client has got nothing. */
  failed(error: NodeJS.ErrnoException): void;
}

interface PassOptions extends Passed {
  readonly agent: Agent;
  /** The address of the client. */
  readonly client: string;
}

/**
 * The answer ends when the client or the other process goes. Returns a function that ends an answer that streams. Never
 * throws.
 */
export function passOn(request: IncomingMessage, response: ServerResponse, options: PassOptions): () => void {
  const outgoing = connect({
    agent: options.agent,
    method: request.method,
    path: PASSED_PATH + (request.url ?? '/'),
    headers: [...endToEnd(request.rawHeaders), CLIENT_HEADER, options.client] as never,
    setHost: false,
  });
  let isOver = false;
  let endStream = () => {};
  const end = guarded('the end of a request that was passed on', (error?: NodeJS.ErrnoException) => {
    if (isOver) return;
    isOver = true;
    request.unpipe(outgoing);
    outgoing.destroy();
    if (error === undefined) return;
    if (response.headersSent) response.destroy();
    else options.failed(error);
  });
  const left = guarded('a client that has left', () => end());
  atClose(response, left);
  outgoing.on('error', end);
  outgoing.on(
    'socket',
    guarded('the connection to another server', (socket) => {
      if (!socket.connecting && !socket.pending) return;
      const late = setTimeout(
        guarded('a slow connection to another server', () => end(new Error('it does not answer'))),
        CONNECT_MILLISECONDS,
      );
      socket.once('secureConnect', () => clearTimeout(late));
      socket.once('close', () => clearTimeout(late));
    }),
  );
  outgoing.on(
    'response',
    guarded(
      'an answer that is passed back',
      (answer) => {
        if (isOver) return;
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
        // A stream may have nothing to say for a while.
        response.flushHeaders();
        answer.on('error', end);
        answer.pipe(response);
        if (answer.headers['content-type']?.startsWith('text/event-stream')) {
          endStream = () => {
            answer.unpipe(response);
            response.end();
          };
        }
        options.began();
      },
      (error) => end(error as Error),
    ),
  );
  request.on('error', left);
  request.pipe(outgoing);
  return () => endStream();
}

/** Names and values in turn, without those about the connection. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!NOT_PASSED.has(name.toLowerCase())) kept.push(name, rawHeaders[index + 1]!);
  }
  return kept;
}
