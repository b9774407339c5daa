/** A session with a server that knows only sessions. It is opened for one actor, whose clients all share it. */

import { METHOD_NOT_FOUND } from '../protocol/codes.ts';
import { LEGACY_VERSION } from '../protocol/era.ts';
import type { JsonObject } from '../protocol/message.ts';
import { ask } from '../upstream/ask.ts';
import { type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { isRequest, objectOr } from './conversation.ts';
import { SessionStream } from './session-stream.ts';

const TIMEOUT_SECONDS = 30;

export class UpstreamSession {
  readonly headers: Readonly<Record<string, string>>;
  /** The result of `initialize`. */
  readonly result: JsonObject;
  readonly stream: SessionStream;
  readonly #upstream: Upstream;
  #lastId = 0;

  private constructor(upstream: Upstream, headers: Readonly<Record<string, string>>, result: JsonObject) {
    this.#upstream = upstream;
    this.headers = headers;
    this.result = result;
    this.stream = new SessionStream(upstream, this);
  }

  /** Declares no client capabilities, so the server asks no questions. Rejects with UpstreamError. */
  static async open(upstream: Upstream, clientInfo: unknown): Promise<UpstreamSession> {
    const params = {
      protocolVersion: LEGACY_VERSION,
      capabilities: {},
      clientInfo: clientInfo ?? { name: 'signalbox', version: '' },
    };
    const question = { jsonrpc: '2.0', id: 'signalbox-initialize', method: 'initialize', params };
    const answer = await ask(upstream, 'POST', {}, question, TIMEOUT_SECONDS);
    const result = objectOr(answer.message?.['result']);
    if (typeof result['protocolVersion'] !== 'string') {
      throw new UpstreamError('answer', 'The server does not open a session.');
    }
    const id = answer.headers['mcp-session-id'];
    const headers = {
      'mcp-protocol-version': result['protocolVersion'],
      ...(typeof id === 'string' ? { 'mcp-session-id': id } : {}),
    };
    const session = new UpstreamSession(upstream, headers, result);
    await ask(upstream, 'POST', headers, { jsonrpc: '2.0', method: 'notifications/initialized' }, TIMEOUT_SECONDS);
    return session;
  }

  /** Clients choose their ids without knowing of each other; within a session each is used once. */
  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Sends a message and ignores the answer. */
  tell(message: JsonObject): void {
    ask(this.#upstream, 'POST', this.headers, { jsonrpc: '2.0', ...message }, TIMEOUT_SECONDS).catch(() => {});
  }

  /** Refuses a question that the server asks although the client declared no such capability. */
  decline(question: JsonObject): void {
    const { id, method } = question;
    if (!isRequest(question)) return;
    if (method === 'ping') this.tell({ id, result: {} });
    else this.tell({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
  }
}
