/**
 * Serves the Streamable HTTP transport for a program on stdin and stdout: one process for each session, and one for all
 * requests without sessions.
 */

import { randomBytes } from 'node:crypto';
import { counted } from '../../../../values/counted.ts';
import { guarded, inBackground } from '../../../../watching/background.ts';
import { INVALID_REQUEST } from '../../../protocol/codes.ts';
import { protocolVersionOf } from '../../../protocol/meta.ts';
import { isPlain, plainMessage } from '../../../protocol/plain-message.ts';
import { type AnswerSink, type UpstreamCall, UpstreamError, type UpstreamRequest } from '../../../upstream/upstream.ts';
import type { Instance, InstanceOptions } from '../instances/instance.ts';
import { HttpAnswer } from './http-answer.ts';
import { knowsRequestsWithoutSession, SharedProcess } from './shared-process.ts';
import { errorText, readStdioMessage, type StdioMessage } from './stdio-message.ts';
import { StdioProcess } from './stdio-process.ts';
import { StdioSession } from './stdio-session.ts';

const STOP_SECONDS = 5;
const LOOK_MILLISECONDS = 1000;
/** A session that is unused for this long may be ended for a new one, even if it has a silent stream. */
const GIVES_WAY_MILLISECONDS = 30_000;
/** The part of a server's processes that one person may have. */
const SHARE_OF_ONE = 0.5;
const RETRY_SECONDS = 10;
const SESSION_HEADER = 'mcp-session-id';
/** The gateway's header that identifies the caller. */
const ACTOR_HEADER = 'signalbox-actor';

export class StdioInstance implements Instance {
  readonly endpoint = { over: 'stdio' } as const;
  readonly ended: Promise<string>;
  readonly upstream = { send: (request: UpstreamRequest, sink: AnswerSink) => this.#send(request, sink) };
  readonly #options: InstanceOptions;
  readonly #sessions = new Map<string, StdioSession>();
  readonly #running = new Set<StdioProcess>();
  readonly #look: NodeJS.Timeout;
  #shared: Promise<SharedProcess | undefined> | undefined;
  /** Number of sessions that are starting, by person. */
  readonly #begins = new Map<string, number>();
  /** Number of processes whose folders are being made. */
  #starting = 0;
  #stopped = false;
  #end: (reason: string) => void = () => {};

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#look = setInterval(
      guarded('a check of idle sessions', () => this.#endIdleSessions()),
      LOOK_MILLISECONDS,
    ).unref();
  }

  get processes(): number {
    return this.#running.size;
  }

  memoryBytes(): number {
    return [...this.#running].reduce((bytes, process) => bytes + process.memoryBytes(), 0);
  }

  async stop(graceSeconds: number, reason: string): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#look);
    await Promise.all([...this.#running].map((process) => process.stop(graceSeconds, reason)));
    this.#end(`stopped: ${reason}`);
  }

  #send(request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    let forget = () => {};
    const answer = new HttpAnswer(sink, () => {
      clearTimeout(limit);
      forget();
    });
    const limit = setTimeout(() => {
      if (!answer.begun) answer.fail(new UpstreamError('timeout', 'The server did not answer in time.'));
    }, this.#options.launch.connection.answerSeconds * 1000);
    // The caller must have its call before the first callback.
    const begin = () => {
      forget = this.#serve(request, answer);
      if (answer.over) forget();
    };
    const failed = () => answer.fail(new UpstreamError('answer', 'The request could not be forwarded.'));
    queueMicrotask(guarded('a request to a hosted process', begin, failed));
    return { abort: () => answer.abort(), resume: () => answer.resume() };
  }

  /** Returns a function to call when the answer is over. */
  #serve({ method, headers, body }: UpstreamRequest, answer: HttpAnswer): () => void {
    const id = headers[SESSION_HEADER];
    const session = this.#sessions.get(id ?? '');
    if (method === 'POST') return this.#post(body, headers, session, answer);
    if (id === undefined || !session) {
      answer.json(id === undefined ? 405 : 404, errorText('', INVALID_REQUEST, 'No such session.'));
      return () => {};
    }
    if (method === 'DELETE') {
      this.#endInBackground(id, 'the client ended its session');
      answer.json(200, '');
      return () => {};
    }
    session.open(answer);
    return () => session.forget(answer);
  }

  #post(
    body: Buffer | null,
    headers: UpstreamRequest['headers'],
    session: StdioSession | undefined,
    answer: HttpAnswer,
  ): () => void {
    const text = body?.toString('utf8') ?? '';
    const read = readStdioMessage(text);
    const given = read && !isPlain(read.value) ? readStdioMessage(plainMessage(text)) : read;
    const accept = headers['accept'] ?? '';
    if (!given) {
      answer.json(400, errorText('', INVALID_REQUEST, 'The body is not a single JSON-RPC message.'));
    } else if (protocolVersionOf(given.message) !== undefined) {
      return this.#postModern(given, answer, headers[ACTOR_HEADER]);
    } else if (session) {
      if (given.message.kind === 'request') session.request(given, accept, answer);
      else session.tell(given, answer);
      return () => session.forget(answer);
    } else if (headers[SESSION_HEADER] !== undefined) {
      answer.json(404, errorText(given.idText, INVALID_REQUEST, 'No such session.'));
    } else if (given.message.kind === 'request' && given.message.method === 'initialize') {
      this.#initialize(given, accept, answer, headers[ACTOR_HEADER]).catch((error: unknown) =>
        this.#failed(error, answer),
      );
    } else {
      answer.json(400, errorText(given.idText, INVALID_REQUEST, 'A session is needed: initialize first.'));
    }
    return () => {};
  }

  async #initialize(
    message: StdioMessage,
    accept: string,
    answer: HttpAnswer,
    actor: string | undefined,
  ): Promise<void> {
    const { connection } = this.#options.launch;
    if (actor !== undefined) await this.#takeShare(actor, connection.maxProcesses);
    const process = await this.#start().finally(() => {
      if (actor !== undefined) this.#began(actor);
    });
    const session = new StdioSession(process, actor);
    const id = randomBytes(24).toString('base64url');
    this.#sessions.set(id, session);
    process.whenEnded(() => this.#sessions.delete(id));
    const limit = setTimeout(() => {
      process.end(1, `it did not answer within ${connection.startSeconds} s of its start`);
    }, connection.startSeconds * 1000);
    session.request(message, accept, answer, ({ value }): Record<string, string> => {
      clearTimeout(limit);
      if (value.result !== undefined) return { [SESSION_HEADER]: id };
      this.#endInBackground(id, 'it refused to be initialized');
      return {};
    });
    process.whenEnded(() => clearTimeout(limit));
  }

  #postModern(given: StdioMessage, answer: HttpAnswer, actor: string | undefined): () => void {
    if (given.message.kind !== 'request') {
      // A client cancels by closing the stream; the revision has no other notification for a server.
      answer.json(202, '');
      return () => {};
    }
    let shared: SharedProcess | undefined;
    this.#sharedProcess()
      .then((process) => {
        shared = process;
        if (process) process.request(given, answer, actor);
        else answer.json(400, errorText(given.idText, INVALID_REQUEST, 'A session is needed: initialize first.'));
        if (answer.over) process?.forget(answer);
      })
      .catch((error: unknown) => this.#failed(error, answer));
    return () => shared?.forget(answer);
  }

  /** Undefined for a program that supports only sessions. */
  #sharedProcess(): Promise<SharedProcess | undefined> {
    this.#shared ??= this.#startShared().catch((error: unknown) => {
      this.#shared = undefined;
      throw error;
    });
    return this.#shared;
  }

  async #startShared(): Promise<SharedProcess | undefined> {
    const process = await this.#start();
    process.probed = true;
    if (await knowsRequestsWithoutSession(process, this.#options.launch.connection.startSeconds)) {
      process.probed = false;
      process.whenEnded(() => {
        this.#shared = undefined;
      });
      return new SharedProcess(process);
    }
    await process.stop(STOP_SECONDS, 'it supports only sessions');
    return undefined;
  }

  #failed(error: unknown, answer: HttpAnswer): void {
    const known = error instanceof UpstreamError;
    if (!known) this.#options.log.say('A process could not be started.');
    answer.fail(known ? error : new UpstreamError('unavailable', 'The server could not be started.'));
  }

  /** Throws UpstreamError while the server waits after failures, and when it has reached its limit of processes. */
  async #start(): Promise<StdioProcess> {
    const { launch, log, backOff } = this.#options;
    await backOff.untilAllowed();
    // Checked again after each wait, because others that also waited may have taken the place.
    const { maxProcesses } = launch.connection;
    while (this.#running.size + this.#starting >= maxProcesses) await this.#makeRoom(maxProcesses);
    this.#refuseOnceStopped();
    this.#starting++;
    const running = await launch.start({ input: true }).finally(() => {
      this.#starting--;
    });
    const process = new StdioProcess(running, log);
    this.#running.add(process);
    this.#options.changed();
    const began = performance.now();
    process.whenEnded((reason) => {
      this.#running.delete(process);
      this.#options.changed();
      log.say(`A process has ended: it ${reason}.`);
      if (!process.stopping && !process.probed)
        backOff.failed(`The server ${reason}.`, (performance.now() - began) / 1000);
    });
    if (this.#stopped) await process.stop(0, 'the server is being stopped');
    this.#refuseOnceStopped();
    return process;
  }

  #refuseOnceStopped(): void {
    if (this.#stopped) throw new UpstreamError('unavailable', 'The server is being stopped.', 1);
  }

  async #makeRoom(maxProcesses: number): Promise<void> {
    if (await this.#endUnused([...this.#sessions], 'a new session needed its place')) return;
    const message = `The server already runs ${counted(maxProcesses, 'process', 'processes')}, the most that its maxProcesses allows.`;
    throw new UpstreamError('unavailable', message, RETRY_SECONDS);
  }

  /** Counts a starting session of a person, so that one person cannot exclude all others. Throws UpstreamError. */
  async #takeShare(actor: string, maxProcesses: number): Promise<void> {
    const share = Math.max(1, Math.floor(maxProcesses * SHARE_OF_ONE));
    const own = () => [...this.#sessions].filter(([, session]) => session.actor === actor);
    while (own().length + this.#beginsOf(actor) >= share) {
      if (await this.#endUnused(own(), 'a new session of the same person needed its place')) continue;
      const message = `You already use ${share} of the ${counted(maxProcesses, 'process', 'processes')} of the server, the most for one person. Its maxProcesses sets the number.`;
      throw new UpstreamError('unavailable', message, RETRY_SECONDS);
    }
    this.#begins.set(actor, this.#beginsOf(actor) + 1);
  }

  /** Number of starting sessions of a person. */
  #beginsOf(actor: string): number {
    return this.#begins.get(actor) ?? 0;
  }

  #began(actor: string): void {
    const left = this.#beginsOf(actor) - 1;
    if (left > 0) this.#begins.set(actor, left);
    else this.#begins.delete(actor);
  }

  /** Ends the session that has been unused for longest. False when none has been unused for long enough. */
  async #endUnused(sessions: readonly (readonly [string, StdioSession])[], reason: string): Promise<boolean> {
    const before = performance.now() - GIVES_WAY_MILLISECONDS;
    const [unused] = sessions
      .filter(([, { isAsked, lastUsed }]) => !isAsked && lastUsed < before)
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    if (unused) await this.#endSession(unused[0], reason);
    return unused !== undefined;
  }

  /** From now on requests no longer find the session. */
  async #endSession(id: string, reason: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.process.stop(STOP_SECONDS, reason);
  }

  #endInBackground(id: string, reason: string): void {
    inBackground('the end of a session', () => this.#endSession(id, reason));
  }

  #endIdleSessions(): void {
    const before = performance.now() - this.#options.launch.connection.idleSeconds * 1000;
    for (const [id, { busy, lastUsed }] of this.#sessions) {
      if (!busy && lastUsed < before) this.#endInBackground(id, 'its session was idle');
    }
  }
}
