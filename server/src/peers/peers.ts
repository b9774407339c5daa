/**
 * The other processes of the installation: who lives, where, and the connections to them. Absent where one process has
 * the database for itself, as on SQLite.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import type { Hub } from '../changes/hub.ts';
import type { Config } from '../config.ts';
import type { Store } from '../database/store.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { atClose } from '../network/at-close.ts';
import { tellClient } from '../network/client-route.ts';
import { claimPort } from '../outbound/own-endpoints.ts';
import type { Clock } from '../values/time.ts';
import { guarded } from '../watching/background.ts';
import type { Logger } from '../watching/logger.ts';
import { type Peer, PeerDirectory } from './directory.ts';
import { CLIENT_HEADER, PASSED_PATH, type Passed, passOn } from './pass-on.ts';
import {
  hostAndPortOf,
  type Listening,
  listenForPeers,
  removeLeftSockets,
  socketOf,
  socketPathOf,
} from './peer-address.ts';
import { connectingOptions, listeningOptions } from './peer-key.ts';

/** Idle connections are closed by the side that opened them. */
const IDLE_MILLISECONDS = 30_000;
const KEEP_ALIVE_MILLISECONDS = 120_000;
const HEADERS_MILLISECONDS = 10_000;
/** Refused connections of this time are one line in the log. */
const WARN_MILLISECONDS = 60_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface PeersParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly logger: Logger;
  readonly keyring: Keyring;
}

/** The services of a process for the others. */
interface PeerServices {
  /** Takes a request of a client that another process passes on. */
  request: Handler;
  /** Takes any other request; its path is below `/`. */
  other: Handler;
}

/** The connection to another process. */
export interface Way {
  /** For single requests with Node's client. */
  readonly agent: Agent;
  /** `https://host:port`. */
  readonly origin: string;
  readonly socketPath: string | undefined;
  readonly tls: ConnectionOptions;
}

interface Connected {
  readonly way: Way;
  close(): void;
}

export class Peers {
  readonly directory: PeerDirectory;
  readonly #parts: PeersParts;
  readonly #connected = new Map<string, Connected>();
  /** The ends of streams that were passed on. */
  readonly #passed = new Set<() => void>();
  #server: Server | undefined;
  #listening: Listening | undefined;
  #release = () => {};
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, parts: PeersParts) {
    this.#parts = parts;
    this.directory = new PeerDirectory(id, parts);
    this.directory.whenGone((gone) => this.#disconnect(gone));
  }

  /** The name of this process. */
  get id(): string {
    return this.directory.id;
  }

  /** Listens for the others, and tells them. `host` names the host of foreign programs here. Throws ConfigError. */
  async start(host: string | null, services: PeerServices): Promise<void> {
    const { config, keyring, logger } = this.#parts;
    const handle = guarded('a request of another server', (request: IncomingMessage, response: ServerResponse) => {
      const url = request.url ?? '';
      if (!url.startsWith(`${PASSED_PATH}/`)) return services.other(request, response);
      tellClient(request, String(request.headers[CLIENT_HEADER] ?? ''));
      request.url = url.slice(PASSED_PATH.length);
      services.request(request, response);
    });
    const server = createServer(
      {
        ...listeningOptions(keyring),
        keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
        headersTimeout: HEADERS_MILLISECONDS,
        // The client's own deadlines apply.
        requestTimeout: 0,
      },
      handle,
    );
    server.on(
      'tlsClientError',
      guarded('a connection that is not from another server', ({ code }: NodeJS.ErrnoException) => {
        // Nothing was said: a look whether somebody listens.
        if (code === 'ECONNRESET' || performance.now() < this.#warnedAt + WARN_MILLISECONDS) return;
        this.#warnedAt = performance.now();
        logger.warn('a connection at the address for other servers was refused: it does not have their key');
      }),
    );
    this.#listening = await listenForPeers(server, this.id, config);
    this.#server = server;
    if (this.#listening.port !== undefined) this.#release = claimPort(this.#listening.port);
    try {
      await removeLeftSockets(config.home);
      await this.directory.start(this.#listening.address, host);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Passes a request on; see `passOn`. */
  passOn(peer: Peer, request: IncomingMessage, response: ServerResponse, passed: Passed): void {
    const { agent } = this.#connect(peer).way;
    const endStream = passOn(request, response, { agent, client: request.socket.remoteAddress ?? '', ...passed });
    this.#passed.add(endStream);
    atClose(response, () => this.#passed.delete(endStream));
  }

  /** Leaves the list, and ends the streams that were passed on, so that the server can stop. */
  async leave(): Promise<void> {
    for (const endStream of this.#passed) endStream();
    await this.directory.stop();
  }

  /** Throws if the socket of a process on this machine is gone. */
  wayTo(peer: Peer): Way {
    return this.#connect(peer).way;
  }

  /** Ends the connections from and to the others. */
  async stop(): Promise<void> {
    await this.leave();
    for (const id of [...this.#connected.keys()]) this.#disconnect(id);
    const server = this.#server;
    if (server) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    }
    this.#listening?.close();
    this.#release();
  }

  #connect(peer: Peer): Connected {
    const known = this.#connected.get(peer.id);
    if (known) return known;
    const path = socketOf(peer.address);
    const short = path === undefined ? undefined : socketPathOf(path);
    const tls = connectingOptions(this.#parts.keyring);
    const where = short ? { socketPath: short.text } : hostAndPortOf(peer.address);
    const agent = new Agent({ keepAlive: true, timeout: IDLE_MILLISECONDS, ...tls, ...where } as never);
    const connected = {
      way: { agent, origin: `https://${short ? 'localhost' : peer.address}`, socketPath: short?.text, tls },
      close: () => {
        agent.destroy();
        short?.close();
      },
    };
    this.#connected.set(peer.id, connected);
    return connected;
  }

  #disconnect(id: string): void {
    this.#connected.get(id)?.close();
    this.#connected.delete(id);
  }
}
