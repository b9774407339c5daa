/**
 * The outgoing connections of a sandbox with a network of its own: an HTTP proxy for one program. Its connections pass
 * the same guard as all targets that users choose, so they lead neither to this server nor to its database or other
 * programs, and to private addresses only where the operator allows them.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Server as Listener, type Socket } from 'node:net';
import { HOP_BY_HOP } from '../../../../network/hop-by-hop.ts';
import { finalStatus } from '../../../../outbound/foreign-answer.ts';
import { checkUrl, guardedLookup, portOf, type TargetPolicy } from '../../../../outbound/guard.ts';
import { OutboundError } from '../../../../outbound/outbound-error.ts';
import { guarded, inBackground } from '../../../../watching/background.ts';

export interface Targets {
  current(): Promise<TargetPolicy>;
}

const MAX_CONNECTIONS = 256;
const CONNECT_MILLISECONDS = 20_000;
/** A connection without a byte for this long counts as broken. */
const SILENT_MILLISECONDS = 900_000;
const NOT_FORWARDED = new Set([...HOP_BY_HOP, 'proxy-authorization', 'proxy-authenticate']);

/** Variables in which programs find a proxy. The program's own loopback address needs none. */
export function proxyVariables(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const none = 'localhost,127.0.0.1,::1';
  const both = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: none };
  const lower = Object.entries(both).map(([name, value]) => [name.toLowerCase(), value]);
  // Node reads the proxy variables only with NODE_USE_ENV_PROXY.
  return { ...both, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: '1' };
}

export class WayOut {
  readonly #listener: Listener;
  readonly #targets: Targets;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** `listener` listens in the network of the program. */
  constructor(listener: Listener, targets: Targets) {
    this.#listener = listener;
    this.#targets = targets;
    this.#server = createServer((incoming, answer) =>
      inBackground(
        'a request of a program',
        () => this.#forward(incoming, answer),
        () => answer.destroy(),
      ),
    );
    this.#server.on('connect', (incoming, socket, head) =>
      inBackground(
        'a tunnel of a program',
        () => this.#tunnel(incoming, socket as Socket, head),
        () => socket.destroy(),
      ),
    );
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    listener.maxConnections = MAX_CONNECTIONS;
    listener.on('error', () => {});
    listener.on('connection', (socket) =>
      inBackground(
        'a connection of a program',
        () => {
          this.#keep(socket);
          this.#server.emit('connection', socket);
        },
        () => socket.destroy(),
      ),
    );
  }

  close(): void {
    this.#listener.close();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Programs must not reach other programs on this machine, unless the operator lists their addresses. */
  async #policy(): Promise<TargetPolicy> {
    return { ...(await this.#targets.current()), excludesThisMachine: true };
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.setTimeout(SILENT_MILLISECONDS, () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** `CONNECT host:port`: forwards bytes unchanged. */
  async #tunnel({ url = '' }: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    // With another scheme than http, the URL keeps the port 80.
    const target = URL.parse(`connect://${url}`);
    const refuse = (error: unknown) => {
      const { status, message } = problemOf(error);
      socket.end(`HTTP/1.1 ${status} ${message}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    };
    if (!target?.port || target.pathname !== '')
      return refuse(new OutboundError('unusable', 'The target is not host:port.'));
    try {
      const policy = await this.#policy();
      const outgoing = open(new URL(`http://${target.host}`), policy);
      this.#keep(outgoing);
      outgoing.once('error', refuse);
      const join = () => {
        outgoing.off('error', refuse);
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        if (head.length > 0) outgoing.write(head);
        for (const [from, to] of [
          [socket, outgoing],
          [outgoing, socket],
        ] as const) {
          from.once('close', () => to.destroySoon());
          from.pipe(to);
        }
      };
      const failed = () => {
        outgoing.destroy();
        socket.destroy();
      };
      outgoing.once('connect', guarded('a tunnel of a program', join, failed));
      socket.once('close', () => outgoing.destroySoon());
    } catch (error) {
      refuse(error);
    }
  }

  /** Forwards a request with the absolute address of its target. */
  async #forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const refuse = (error: unknown) => {
      if (answer.headersSent) {
        answer.destroy();
        return;
      }
      const { status, message } = problemOf(error);
      answer
        .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
        .end(`${message}\n`);
    };
    const url = URL.parse(incoming.url ?? '');
    if (url?.protocol !== 'http:') {
      return refuse(new OutboundError('unusable', 'This proxy accepts only CONNECT and http:// addresses.'));
    }
    try {
      const policy = await this.#policy();
      const outgoing = request(url, {
        method: incoming.method,
        headers: { ...endToEnd(incoming.headers), host: url.host },
        createConnection: () => open(url, policy),
      });
      outgoing.once(
        'socket',
        guarded('a connection for a program', (socket: Socket) => this.#keep(socket)),
      );
      outgoing.on('error', refuse);
      const pass = (response: IncomingMessage) => {
        response.on('error', () => answer.destroy());
        try {
          answer.writeHead(finalStatus(response.statusCode), endToEnd(response.headers));
          response.pipe(answer);
        } catch (error) {
          response.destroy();
          refuse(error);
        }
      };
      outgoing.on('response', guarded('the answer to a program', pass, refuse));
      // An answer that switches the protocol closes the connection without an event of its own.
      const closed = () => {
        if (!answer.headersSent && !answer.destroyed) refuse(undefined);
      };
      outgoing.once('close', guarded('the end of a connection for a program', closed));
      answer.once('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    } catch (error) {
      refuse(error);
    }
  }
}

/**
 * Throws OutboundError if the policy does not allow the connection: immediately for an address, as an event for a name.
 */
function open(url: URL, policy: TargetPolicy): Socket {
  checkUrl(url, policy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url);
  const lookup = isIP(host) === 0 ? { lookup: guardedLookup(port, policy) } : {};
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true, ...lookup });
  const limit = setTimeout(
    () => socket.destroy(new OutboundError('timeout', 'The target took too long to connect.')),
    CONNECT_MILLISECONDS,
  );
  socket.once('connect', () => clearTimeout(limit));
  socket.once('close', () => clearTimeout(limit));
  return socket;
}

function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const named = new Set(headers.connection?.split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name) && !named.has(name)));
}

/** Describes the problem without facts about this server. */
function problemOf(error: unknown): { readonly status: number; readonly message: string } {
  if (!(error instanceof OutboundError)) return { status: 502, message: 'The target cannot be reached.' };
  return { status: error.fault === 'refused' ? 403 : 502, message: error.message };
}
