/**
 * The one stream on which a server with sessions tells what concerns no request. Servers open no second one in a session,
 * so everyone who listens hears of it here: it is opened for the first and ended after the last.
 */
import { refusedCredential, type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { Conversation, isRequest, type JsonMessage } from './conversation.ts';
import type { LegacySession } from './legacy-session.ts';

/** Another stream of the session is not yet over as the server sees it; or it, or what stands before it, is busy or broken. */
const MAY_PASS: ReadonlySet<number> = new Set([409, 429, 502, 503, 504]);

export interface StreamListener {
  /** Resources whose changes it wants to hear of. */
  readonly uris: readonly string[];
  notice(message: JsonMessage): void;
  /** The server has ended the stream; `gone`: with the session. */
  ended(gone: boolean): void;
  failed(error: UpstreamError): void;
}

export class SessionStream {
  readonly #upstream: Upstream;
  readonly #session: LegacySession;
  readonly #listeners = new Set<StreamListener>();
  #open: Conversation | undefined;

  constructor(upstream: Upstream, session: LegacySession) {
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
    const open = new Conversation({
      // Only what must not be passed on begins here: a server that does not accept the stored credential.
      begin: () => this.#endAll((listener) => listener.failed(refusedCredential())),
      data: () => true,
      end: () => {},
      fail: (error) => this.#endAll((listener) => listener.failed(error)),
    });
    this.#open = open;
    const headers = { ...this.#session.headers, accept: 'text/event-stream' };
    open.ask(
      this.#upstream,
      { method: 'GET', headers, body: null },
      {
        begin: (status) => status === 200,
        message: (message) => {
          if (isRequest(message)) this.#session.decline(message);
          else for (const listener of this.#listeners) listener.notice(message);
        },
        // A server without such a stream has nothing to tell, and who listens stays in silence. Where the session has ended
        // they are sent away, to listen in another one; where it cannot be had for now, to try again.
        end: (status) => {
          if (status === 200 || status === 404) this.#endAll((listener) => listener.ended(status === 404));
          else if (MAY_PASS.has(status)) this.#endAll((listener) => listener.failed(noStreamNow()));
        },
      },
    );
  }

  #endAll(end: (listener: StreamListener) => void): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    this.#open = undefined;
    for (const listener of listeners) end(listener);
  }
}

function noStreamNow(): UpstreamError {
  return new UpstreamError('unavailable', 'The server does not tell what changes just now.');
}
