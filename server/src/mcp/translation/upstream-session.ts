/** A session with a server that knows only sessions. It is opened for one actor, whose clients all share it. */

import { METHOD_NOT_FOUND } from '../protocol/codes.ts';
import type { JsonObject } from '../protocol/message.ts';
import { ELICITATION } from '../protocol/url-elicitation.ts';
import { ask } from '../upstream/ask.ts';
import { openSession, type SessionClient } from '../upstream/open-session.ts';
import { type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { isRequest } from './conversation.ts';
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

  /** Rejects with UpstreamError. */
  static async open(upstream: Upstream, { info, capabilities }: SessionClient): Promise<UpstreamSession> {
    const patience = { firstAnswerSeconds: TIMEOUT_SECONDS, seconds: TIMEOUT_SECONDS };
    const client = { info: info ?? { name: 'signalbox', version: '' }, capabilities };
    const { session } = await openSession(upstream, client, patience);
    if (!session) throw new UpstreamError('answer', 'The server does not open a session.');
    return new UpstreamSession(upstream, session.headers, session.result);
  }

  /** Clients choose their ids independently; within a session each id is used once. */
  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Sends a message and ignores the answer. */
  tell(message: JsonObject): void {
    ask(this.#upstream, 'POST', this.headers, { jsonrpc: '2.0', ...message }, TIMEOUT_SECONDS).catch(() => {});
  }

  /** Refuses a question of the server for which the client declared no capability. */
  decline(question: JsonObject): void {
    const { id, method } = question;
    if (!isRequest(question)) return;
    if (method === 'ping') this.tell({ id, result: {} });
    // Only a request for pages that refuses the call can be forwarded: a client of the stateless revision has no
    // session for the question.
    else if (method === ELICITATION) this.tell({ id, result: { action: 'cancel' } });
    else this.tell({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
  }
}
