/**
 * The only stream on which a server with sessions sends messages outside of requests. Servers open no second one in a
 * session, so all listeners share it: it opens for the first and ends after the last.
 */
import type { JsonObject } from '../protocol/message.ts';
import { MessageReader } from '../upstream/message-reader.ts';
import { refusedCredential, type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { isRequest, MAX_ANSWER_BYTES } from './conversation.ts';

/**
 * For the server, another stream of the session has not ended yet; or the server, or a proxy before it, is busy or
 * broken.
 */
const MAY_PASS: ReadonlySet<number> = new Set([409, 429, 502, 503, 504]);

export interface StreamListener {
  /** Resources about whose changes it is notified. */
  readonly uris: readonly string[];
  notice(message: JsonObject): void;
  /** The server has ended the stream; `gone` is true if the session ended too. */
  ended(gone: boolean): void;
  failed(error: UpstreamError): void;
}

/** The parts of the session that its stream needs. */
interface Session {
  readonly headers: Readonly<Record<string, string>>;
  newId(): number;
  tell(message: JsonObject): void;
  decline(question: JsonObject): void;
}

export class SessionStream {
  readonly #upstream: Upstream;
  readonly #session: Session;
  readonly #listeners = new Set<StreamListener>();
  #open: MessageReader | undefined;

  constructor(upstream: Upstream, session: Session) {
    this.#upstream = upstream;
    this.#session = session;
  }

  add(listener: StreamListener): void {
    const known = this.#uris();
    this.#listeners.add(listener);
    this.#tell('resources/subscribe', new Set(listener.uris).difference(known));
    if (!this.#open) this.#begin();
  }

  remove(listener: StreamListener): void {
    if (!this.#listeners.delete(listener)) return;
    this.#tell('resources/unsubscribe', new Set(listener.uris).difference(this.#uris()));
    if (this.#listeners.size > 0) return;
    this.#open?.abort();
    this.#open = undefined;
  }

  #uris(): Set<string> {
    return new Set([...this.#listeners].flatMap(({ uris }) => uris));
  }

  #tell(method: string, uris: Iterable<string>): void {
    for (const uri of uris) this.#session.tell({ id: this.#session.newId(), method, params: { uri } });
  }

  #begin(): void {
    const reader = new MessageReader(
      {
        begin: (status) => {
          if (status === 401 || status === 407) {
            reader.abort();
            this.#endAll((listener) => listener.failed(refusedCredential()));
          }
          return status === 200;
        },
        message: (message) => {
          if (isRequest(message)) this.#session.decline(message);
          else for (const listener of this.#listeners) listener.notice(message);
        },
        // A server without such a stream sends nothing, and its listeners stay open. When the session has ended,
        // listeners end, in order to listen in another one; when the stream is not available now, they fail and may try
        // again.
        end: (status) => {
          if (status === 200 || status === 404) this.#endAll((listener) => listener.ended(status === 404));
          else if (MAY_PASS.has(status)) this.#endAll((listener) => listener.failed(noStreamNow()));
        },
        fail: (error) => this.#endAll((listener) => listener.failed(error)),
      },
      { maxBytes: MAX_ANSWER_BYTES },
    );
    this.#open = reader;
    const headers = { ...this.#session.headers, accept: 'text/event-stream' };
    reader.send(this.#upstream, { method: 'GET', headers, body: null });
  }

  #endAll(end: (listener: StreamListener) => void): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    this.#open = undefined;
    for (const listener of listeners) end(listener);
  }
}

function noStreamNow(): UpstreamError {
  return new UpstreamError('unavailable', 'The server does not report changes now.');
}
