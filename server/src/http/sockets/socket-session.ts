/** One open websocket: its caller, its frames in both directions, and its end. */

import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type RawData, WebSocket } from 'ws';
import { LiveFrame } from '../../changes/live-frame.ts';
import { type Context, callerOf, createContext, type Server } from '../../context/context.ts';
import { ApiError, Unavailable } from '../../errors.ts';
import type { Release } from '../../fairness/gate.ts';
import { mayReadSecrets, type Permission } from '../../identity/access/permissions.ts';
import {
  type Admission,
  admitSocketToken,
  asksForKey,
  keyOf,
  needsCredential,
} from '../../identity/callers/authenticate.ts';
import type { Target } from '../../identity/callers/target.ts';
import { guarded, inBackground } from '../../watching/background.ts';
import { noteRequest } from '../../watching/young-generation.ts';
import { addressOf, readClientInfo } from '../request/client-info.ts';
import { Pongs } from './pongs.ts';
import { readFrame } from './read-frame.ts';
import { closeReason, closeReasonOf, type RefusedSockets, settingLacked } from './refused-sockets.ts';

export const SUBPROTOCOL = 'prefect';
/** Time for the first frame, which identifies the client. */
const SIGN_IN_MILLISECONDS = 10_000;
/** Bytes that may wait for a reader; more for a second, or a burst beyond the second limit, closes its socket. */
const MAX_UNSENT_BYTES = 256 * 1024;
const MAX_BURST_BYTES = 2 * 1024 * 1024;
/** A reader with more waiting bytes is behind, and senders of large amounts wait for it. */
const BEHIND_BYTES = 64 * 1024;
const BEHIND_MILLISECONDS = 1000;
/** Bytes of the reason in a close frame. */
const MAX_REASON_BYTES = 123;
const CLOSE_MILLISECONDS = 2000;
const AUTH_SUCCESS = '{"type":"auth_success"}';

/** Close codes. Source: RFC 6455, section 7.4, and the IANA registry. */
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
/** Clients of the API reconnect after this code, but not after 1001, which they treat as final. */
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const TOO_MANY = {
  workspace: 'This workspace has too many open websockets',
  caller: 'You have too many open websockets in this workspace',
};

/** The server's end of one open socket. */
export interface SocketSession {
  /** Parts of the address that the declaration names, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The caller's context at the current time. */
  context(): Context;
  /** Sends a text frame; a reader that is too far behind is disconnected and may reconnect. */
  send(frame: string | LiveFrame): void;
  /** True while the reader has not received what was sent. */
  readonly isBehind: boolean;
  /** Resolves when all sent frames have left the process, or the socket is closed. */
  sent(): Promise<void>;
  /** Closes the socket. Does nothing on a closed one. Reasons longer than a close frame holds are cut. */
  close(code: number, reason: string): void;
  /** Closes it after `error`: Unavailable makes the client reconnect, any other error is a fault of the server. */
  readonly fail: (error?: unknown) => void;
  /** Accepts no more frames, except those that have arrived, until `resume`. */
  pause(): void;
  resume(): void;
}

/** The handlers for frames of an authenticated client. */
interface SocketHandlers {
  message(text: string): void;
  /** Resolves when the frames so far have taken effect; then a pong is sent. If absent, it is sent at once. */
  settled?(): Promise<void>;
  closed?(): void;
}

export interface SocketRoute {
  /** Below the API's prefix, with parameters as in routes: `/work_pools/{name}/workers/connect`. */
  readonly path: string;
  readonly permission: Permission;
  /** The close reason for clients that fail to authenticate; absent: the reason in words. */
  readonly refusal?: string;
  open(session: SocketSession): SocketHandlers;
}

/** The request that opens a socket. */
interface SocketRequest {
  readonly request: IncomingMessage;
  readonly route: SocketRoute;
  readonly path: Readonly<Record<string, string>>;
  readonly target: Target;
  /** Set when the upgrade itself carried a key. */
  readonly admission: Admission | undefined;
  readonly refused: RefusedSockets;
  /** Called when the caller of the socket is known. Returns whose limit of sockets is reached, if any. */
  started(admission: Admission): 'workspace' | 'caller' | undefined;
}

export class Session implements SocketSession {
  readonly path: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #route: SocketRoute;
  readonly #signInTimer: NodeJS.Timeout;
  readonly #target: Target;
  readonly #refused: RefusedSockets;
  #admission: Admission | undefined;
  #caller = '';
  /** Ends the checks of its access. */
  #leave = () => {};
  #isSigningIn = false;
  /** True until the first frame of a socket whose key came with the upgrade: it may still be the greeting. */
  #mayGreet = false;
  /** Frames that arrived while the credential was checked. */
  readonly #early: { readonly data: RawData; readonly isBinary: boolean }[] = [];
  #handlers: SocketHandlers | undefined;
  readonly #started: SocketRequest['started'];
  #isAlive = true;
  /** Time since which too much waits; undefined while less does. */
  #behindSince: number | undefined;
  readonly #pongs: Pongs;
  #unsent = 0;
  readonly #sentWaiting: (() => void)[] = [];

  constructor(
    server: Server,
    socket: WebSocket,
    { request, route, path, target, admission, refused, started }: SocketRequest,
  ) {
    this.#server = server;
    this.#refused = refused;
    this.#target = target;
    this.#started = started;
    this.#socket = socket;
    this.#pongs = new Pongs(socket);
    this.#request = request;
    this.#route = route;
    this.path = path;
    this.#signInTimer = setTimeout(() => this.#beginSignIn(undefined), SIGN_IN_MILLISECONDS);
    this.#signInTimer.unref();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on(
      'ping',
      guarded('a ping of a socket', (data: Buffer) => this.#pong(data), this.fail),
    );
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // The close that follows an error is handled.
    socket.on('error', () => {});
    socket.once(
      'close',
      guarded('the close of a socket', () => {
        clearTimeout(this.#signInTimer);
        this.#leave();
        this.#unsent = 1;
        this.#countSent();
        this.#handlers?.closed?.();
      }),
    );
    if (admission) {
      this.#mayGreet = true;
      this.#start(admission, keyOf(target, request.headers.authorization));
    } else if (socket.protocol !== SUBPROTOCOL) {
      this.#start({ workspace: server.defaultWorkspace, actor: undefined, role: undefined }, undefined);
    }
  }

  get #address(): string {
    return addressOf(this.#server.config, this.#request);
  }

  context(): Context {
    const { workspace, actor, role } = this.#admission ?? {
      workspace: this.#server.defaultWorkspace,
      actor: undefined,
      role: undefined,
    };
    const client = readClientInfo(this.#server.config, this.#request);
    return createContext(this.#server, workspace, client, actor, {}, role);
  }

  /** Keeps the socket open while its key is valid and the owner has the permission that it needs. */
  #keepOpen(token: string): void {
    this.#leave = this.#server.openThings.keep({
      check: async () => {
        const { permission } = this.#route;
        this.#admission = await admitSocketToken(this.#server, this.#target, permission, token, this.#address);
      },
      end: (error) => {
        if (error instanceof ApiError) this.close(POLICY_VIOLATION, closeReasonOf(error));
        else this.fail(error);
      },
    });
  }

  send(given: string | LiveFrame): void {
    if (this.#socket.readyState !== WebSocket.OPEN || this.#isGivenUp()) return;
    const frame = typeof given === 'string' ? new LiveFrame(given) : given;
    const bytes = mayReadSecrets(this.#admission?.role) ? frame.whole : frame.masked;
    const release = this.#hold(bytes);
    if (!release) {
      this.close(TRY_AGAIN_LATER, 'Your websockets are too far behind');
      return;
    }
    this.#unsent++;
    this.#socket.send(bytes, { binary: false }, () => {
      release();
      this.#countSent();
    });
  }

  get isBehind(): boolean {
    return this.#socket.bufferedAmount > BEHIND_BYTES;
  }

  /**
   * Reserves memory for a frame. Returns undefined when the limit is reached, unless the client has received all earlier
   * frames.
   */
  #hold(bytes: Buffer): Release | undefined {
    const workspace = this.#admission?.workspace ?? this.#server.defaultWorkspace;
    const release = this.#server.unsent.hold(bytes, workspace, this.#caller);
    return release ?? (this.#socket.bufferedAmount === 0 ? () => {} : undefined);
  }

  /** Closes a socket whose reader does not keep up. One frame may be longer than the limit. */
  #isGivenUp(): boolean {
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount <= MAX_UNSENT_BYTES) {
      this.#behindSince = undefined;
      return false;
    }
    const now = performance.now();
    this.#behindSince ??= now;
    if (bufferedAmount <= MAX_BURST_BYTES && now - this.#behindSince <= BEHIND_MILLISECONDS) return false;
    this.close(TRY_AGAIN_LATER, 'The reader is too slow');
    return true;
  }

  async sent(): Promise<void> {
    if (this.#unsent === 0 || this.#socket.readyState !== WebSocket.OPEN) return;
    await new Promise<void>((resolve) => this.#sentWaiting.push(resolve));
  }

  close(code: number, reason: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.close(code, cutToBytes(reason, MAX_REASON_BYTES));
    // A reader that does not read does not see the close frame either.
    setTimeout(() => this.#socket.terminate(), CLOSE_MILLISECONDS).unref();
  }

  readonly fail = (error?: unknown): void => {
    if (error instanceof Unavailable) this.close(TRY_AGAIN_LATER, error.message);
    else this.close(INTERNAL_ERROR, 'Internal Server Error');
  };

  pause(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused) this.#socket.resume();
    this.#isAlive = true;
  }

  /** Ends a connection whose peer did not answer the last ping. */
  checkAlive(): void {
    if (this.#socket.readyState !== WebSocket.OPEN || this.#isGivenUp() || this.#socket.isPaused) return;
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
    noteRequest();
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#isAlive = true;
    if (this.#isSigningIn) {
      this.#early.push({ data, isBinary });
      return;
    }
    const take = () => {
      if (!this.#handlers) this.#beginSignIn(isBinary ? undefined : readFrame(data.toString()));
      else if (this.#mayGreet && this.#isGreeting(data, isBinary)) this.send(AUTH_SUCCESS);
      else if (isBinary) this.close(INTERNAL_ERROR, 'Expected a text frame');
      else return this.#handlers.message(data.toString());
    };
    inBackground(`a frame of the socket ${this.#route.path}`, take, this.fail);
  }

  #beginSignIn(message: Record<string, unknown> | undefined): void {
    inBackground('the sign-in of a socket', () => this.#signIn(message), this.fail);
  }

  async #signIn(message: Record<string, unknown> | undefined): Promise<void> {
    clearTimeout(this.#signInTimer);
    if (message?.['type'] !== 'auth') return this.#refuse("Expected 'auth' message");
    this.#isSigningIn = true;
    this.#socket.pause();
    const token = message['token'];
    const admission = await this.#admit(token);
    this.#socket.resume();
    this.#isSigningIn = false;
    if (admission === undefined) return this.close(SERVICE_RESTART, 'The server cannot check the credential now');
    if (typeof admission === 'string') return this.#refuse(admission);
    this.send(AUTH_SUCCESS);
    this.#start(admission, typeof token === 'string' ? token : undefined);
    for (const { data, isBinary } of this.#early.splice(0)) this.#receive(data, isBinary);
  }

  #refuse(reason: string): void {
    this.close(POLICY_VIOLATION, this.#route.refusal ?? reason);
  }

  /** Undefined while the database is away; the reason for a refusal when the token is not valid for this socket. */
  async #admit(token: unknown): Promise<Admission | string | undefined> {
    const given = typeof token === 'string' ? token : '';
    const { config } = this.#server;
    if (needsCredential(config, this.#target)) {
      if (token === undefined || token === null || token === '') {
        const userAgent = this.#request.headers['user-agent'];
        const caller = { path: this.#route.path, address: this.#address, userAgent };
        this.#refused.tell(settingLacked(config, this.#target, true), caller);
        return closeReason(config, this.#target);
      }
      if (given === '') return 'Invalid token';
    }
    try {
      return await admitSocketToken(this.#server, this.#target, this.#route.permission, given, this.#address);
    } catch (error) {
      // A refused client must not reconnect; a client that cannot be admitted now must.
      if (error instanceof ApiError && error.status >= 500) return undefined;
      if (!(error instanceof ApiError)) {
        this.#server.logger.error({ err: error, path: this.#route.path }, 'socket could not be opened');
        return 'Internal Server Error';
      }
      const reason = closeReasonOf(error);
      return reason === 'Unauthorized' ? 'Invalid token' : reason;
    }
  }

  #isGreeting(data: RawData, isBinary: boolean): boolean {
    this.#mayGreet = false;
    return !isBinary && readFrame(data.toString())?.['type'] === 'auth';
  }

  #start(admission: Admission, token: string | undefined): void {
    clearTimeout(this.#signInTimer);
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const full = this.#started(admission);
    if (full !== undefined) {
      this.close(TRY_AGAIN_LATER, TOO_MANY[full]);
      return;
    }
    this.#admission = admission;
    this.#caller = callerOf(admission.actor, this.#address);
    this.#handlers = this.#route.open(this);
    if (token !== undefined && asksForKey(this.#server.config, this.#target)) this.#keepOpen(token);
  }

  async #pong(data: Buffer): Promise<void> {
    this.#isAlive = true;
    await this.#pongs.answer(data, () => this.#handlers?.settled?.());
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
