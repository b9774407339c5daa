/**
 * Remembers the caller of the requests on a connection, so that the next request with the same credential can wait for
 * its caller's place before it costs anything. It grants nothing: the credential is checked again.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Characters of a credential; a longer one is not kept. */
const MOST_CHARACTERS = 1024;

interface Known {
  readonly client: string;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly shares: readonly string[];
}

export class KnownCallers {
  readonly #known = new WeakMap<Socket, Known>();

  /** The shares of the last request on this connection, if it came from the same client with the same credential. */
  sharesOf({ socket, headers }: IncomingMessage, client: string): readonly string[] | undefined {
    const known = this.#known.get(socket);
    const isSame =
      known?.client === client && known.authorization === headers.authorization && known.cookie === headers.cookie;
    return isSame ? known?.shares : undefined;
  }

  remember(request: IncomingMessage, client: string, shares: readonly string[]): void {
    const { authorization, cookie } = request.headers;
    if ((authorization?.length ?? 0) + (cookie?.length ?? 0) > MOST_CHARACTERS) return;
    if (this.sharesOf(request, client) === undefined) {
      this.#known.set(request.socket, { client, authorization, cookie, shares });
    }
  }
}
