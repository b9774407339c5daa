/**
 * Websockets of the API: what every one of them passes before and beside what it is for. A client speaks the subprotocol
 * `prefect` and sends its credential in the first frame; where the API is open it may also leave both out.
 * Source: reference behaviour, "Websockets".
 */
import type { IncomingMessage, Server as NodeServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { type Context, createContext, type Server } from '../context.ts';
import { isSocketToken } from '../identity/authenticate.ts';
import type { Permission } from '../identity/permissions.ts';
import { isJsonObject, JsonSyntaxError, parseJson } from '../json.ts';
import { readClientInfo } from './client-info.ts';

const SUBPROTOCOL = 'prefect';
const MAX_FRAME_BYTES = 2 * 1024 * 1024;
const PING_MILLISECONDS = 20_000;
/** Time for the first frame, which says who it is. */
const SIGN_IN_MILLISECONDS = 60_000;
/** What may wait for a reader that does not read, before it is given up. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Room in a close frame, in bytes. */
const MAX_REASON_BYTES = 123;
const CLOSE_MILLISECONDS = 2000;

/** Close codes. Source: RFC 6455, section 7.4, and the IANA registry. */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
/** Clients of the API come back after it, and not after 1001, which they take for a farewell. */
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;

/** The server's end of one open socket. */
export interface SocketSession {
  /** Parts of the address that the declaration names, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The caller's context as of now. */
  context(): Context;
  /** Sends a text frame; a reader that is too far behind is disconnected and may come back. */
  send(text: string | Buffer): void;
  /** Resolves when what was sent has left the process, or the socket is closed. */
  sent(): Promise<void>;
  /** Does nothing on a closed socket. Reasons longer than a close frame holds are cut. */
  close(code: number, reason: string): void;
  /** Takes no more frames, except those that have arrived, until `resume`. */
  pause(): void;
  resume(): void;
}

/** What a socket does with the frames of a client that has signed in. */
export interface SocketHandlers {
  message(text: string): void;
  /** Resolves when the frames so far have had their effect: a pong is sent after that. Absent: at once. */
  settled?(): Promise<void>;
  closed?(): void;
}

export interface SocketRoute {
  /** Below the API's prefix, with parameters as in routes: `/work_pools/{name}/workers/connect`. */
  readonly path: string;
  readonly permission: Permission;
  open(session: SocketSession): SocketHandlers;
}

export interface RunningSockets {
  /** Takes no new sockets, lets each take in what it was sent, and closes them so that clients come back. */
  close(): Promise<void>;
}

interface CompiledSocket {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly route: SocketRoute;
}

/** Serves `sockets` on the HTTP server. Throws when one has no permission. */
export function registerSockets(
  http: NodeServer,
  server: Server,
  prefix: string,
  sockets: readonly SocketRoute[],
): RunningSockets {
  const compiled = sockets.map((route) => compile(route, prefix));
  const endpoint = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    autoPong: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const sessions = new Set<Session>();
  let isClosing = false;
  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const match = matchSocket(compiled, request.url ?? '');
    if (isClosing) {
      refuse(stream, '503 Service Unavailable');
    } else if (!match || !mayConnect(server, request)) {
      refuse(stream, '403 Forbidden');
    } else {
      endpoint.handleUpgrade(request, stream, head, (socket) => {
        const session = new Session(server, socket, request, match);
        sessions.add(session);
        socket.once('close', () => sessions.delete(session));
      });
    }
  };
  leaveOtherUpgrades(http);
  http.on('upgrade', upgrade);
  const pings = setInterval(() => {
    for (const session of sessions) session.checkAlive();
  }, PING_MILLISECONDS);
  pings.unref();
  return {
    close: async () => {
      isClosing = true;
      clearInterval(pings);
      await Promise.all([...sessions].map((session) => session.shutDown()));
    },
  };
}

function compile(route: SocketRoute, prefix: string): CompiledSocket {
  if (!route.permission) throw new Error(`The socket ${route.path} declares no permission.`);
  const names: string[] = [];
  const source = (prefix + route.path).replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  return { pattern: new RegExp(`^${source}$`), names, route };
}

interface MatchedSocket {
  readonly route: SocketRoute;
  readonly path: Readonly<Record<string, string>>;
}

function matchSocket(sockets: readonly CompiledSocket[], url: string): MatchedSocket | undefined {
  const address = url.split('?', 1)[0] ?? '';
  for (const { pattern, names, route } of sockets) {
    const values = pattern.exec(address)?.slice(1);
    if (!values) continue;
    try {
      return {
        route,
        path: Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')])),
      };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** A client without the subprotocol has no way to show a credential. */
function mayConnect(server: Server, request: IncomingMessage): boolean {
  return server.config.apiAuth === 'open' || speaksSubprotocol(request);
}

function speaksSubprotocol(request: IncomingMessage): boolean {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').some((name) => name.trim() === SUBPROTOCOL);
}

function refuse(stream: Duplex, status: string): void {
  stream.on('error', () => {});
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Offers to switch to another protocol (h2c) are not taken up; the request is served as it is. Node 24.9 and later. */
function leaveOtherUpgrades(
  http: NodeServer & { shouldUpgradeCallback?: (request: IncomingMessage) => boolean },
): void {
  http.shouldUpgradeCallback = (request) => request.headers.upgrade?.toLowerCase() === 'websocket';
}

class Session implements SocketSession {
  readonly path: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #route: SocketRoute;
  readonly #signInTimer: NodeJS.Timeout;
  #handlers: SocketHandlers | undefined;
  #isAlive = true;
  #unsent = 0;
  readonly #sentWaiting: (() => void)[] = [];

  constructor(server: Server, socket: WebSocket, request: IncomingMessage, { route, path }: MatchedSocket) {
    this.#server = server;
    this.#socket = socket;
    this.#request = request;
    this.#route = route;
    this.path = path;
    this.#signInTimer = setTimeout(() => this.#signIn(undefined), SIGN_IN_MILLISECONDS);
    this.#signInTimer.unref();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('ping', (data) => void this.#pong(data));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // The close that follows an error is what matters.
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(this.#signInTimer);
      this.#unsent = 1;
      this.#countSent();
      this.#handlers?.closed?.();
    });
    if (socket.protocol !== SUBPROTOCOL) this.#start();
  }

  context(): Context {
    return createContext(this.#server, this.#server.defaultWorkspace, readClientInfo(this.#request.headers, false));
  }

  send(text: string | Buffer): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#unsent++;
    this.#socket.send(text, { binary: false }, () => this.#countSent());
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) this.close(TRY_AGAIN_LATER, 'The reader is too slow');
  }

  async sent(): Promise<void> {
    if (this.#unsent === 0 || this.#socket.readyState !== WebSocket.OPEN) return;
    await new Promise<void>((resolve) => this.#sentWaiting.push(resolve));
  }

  close(code: number, reason: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.close(code, cutToBytes(reason, MAX_REASON_BYTES));
    // A reader that does not read does not see the close either.
    setTimeout(() => this.#socket.terminate(), CLOSE_MILLISECONDS).unref();
  }

  pause(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused) this.#socket.resume();
    this.#isAlive = true;
  }

  /** Gives up a peer that did not answer the last ping. */
  checkAlive(): void {
    if (this.#socket.readyState !== WebSocket.OPEN || this.#socket.isPaused) return;
    if (this.#isAlive) this.#socket.ping();
    else this.#socket.terminate();
    this.#isAlive = false;
  }

  async shutDown(): Promise<void> {
    const patience = this.#server.config.drainSeconds * 1000;
    await Promise.race([this.#handlers?.settled?.(), pause(patience, undefined, { ref: false })]);
    const closed = new Promise<void>((resolve) => {
      if (this.#socket.readyState === WebSocket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
    });
    this.resume();
    this.close(SERVICE_RESTART, 'The server is restarting');
    await closed;
  }

  #countSent(): void {
    if (--this.#unsent > 0) return;
    for (const resolve of this.#sentWaiting.splice(0)) resolve();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#isAlive = true;
    try {
      if (!this.#handlers) this.#signIn(isBinary ? undefined : parseObject(data.toString()));
      else if (isBinary) this.close(INTERNAL_ERROR, 'Expected a text frame');
      else this.#handlers.message(data.toString());
    } catch (error) {
      this.#server.logger.error({ err: error, path: this.#route.path }, 'socket failed');
      this.close(INTERNAL_ERROR, 'Internal Server Error');
    }
  }

  #signIn(message: Record<string, unknown> | undefined): void {
    const fault = message?.['type'] === 'auth' ? this.#tokenFault(message['token']) : "Expected 'auth' message";
    if (fault !== undefined) {
      this.close(POLICY_VIOLATION, fault);
    } else {
      this.send('{"type":"auth_success"}');
      this.#start();
    }
  }

  #tokenFault(token: unknown): string | undefined {
    const { config } = this.#server;
    if (config.apiAuth === 'open') return undefined;
    if (token === undefined || token === null || token === '') return 'Auth required but no token provided';
    return typeof token === 'string' && isSocketToken(config, token) ? undefined : 'Invalid token';
  }

  #start(): void {
    clearTimeout(this.#signInTimer);
    this.#handlers = this.#route.open(this);
  }

  /** A client takes the pong for the word that its frames before the ping have arrived for good. */
  async #pong(data: Buffer): Promise<void> {
    this.#isAlive = true;
    await this.#handlers?.settled?.();
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.pong(data);
  }
}

/** Undefined when the text is no JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut) + Buffer.byteLength(character) + 3 > bytes) break;
    cut += character;
  }
  return `${cut}…`;
}
