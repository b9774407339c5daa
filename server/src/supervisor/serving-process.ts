/** One process that serves, as its supervisor sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE_FOLDER } from '../folders.ts';
import type { Question, Ready, SentMetric, Start, ToServing, ToSupervisor } from '../supervision/messages.ts';
import { guarded } from '../watching/background.ts';
import type { Taker } from './dispatcher.ts';

/** News that wait for a process. Those beyond are left out: they only say that there is something to read. */
const MOST_WAITING = 1000;
/** Longest wait for the values of the metrics. */
const MEASURE_MILLISECONDS = 3000;
/** Time to read what a process has said before its end. */
const LAST_WORDS_MILLISECONDS = 250;
/** A process that answers nothing for so many looks is frozen. One that starts loads its code before it answers. */
const FROZEN_LOOKS = { serving: 15, starting: 120 } as const;
/** The flags with which `main.js` starts V8; see there. */
const V8_FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];

interface Listener {
  ready(): void;
  taken(id: number): void;
  closed(ids: readonly number[]): void;
  asked(question: Question): Promise<unknown>;
  news(origin: string, tables: readonly string[]): void;
  faulted(): void;
  /** The last values of its metrics. */
  measured(metrics: readonly SentMetric[]): void;
  /** It has ended, and nothing that it said is left to hear. */
  ended(): void;
}

export class ServingProcess implements Taker {
  readonly slot: number;
  readonly #child: ChildProcess;
  readonly #listener: Listener;
  readonly #measuring = new Map<number, (metrics: readonly SentMetric[]) => void>();
  #ready: Ready | undefined;
  /** The reason for which it cannot start, for the operator. */
  #problem: string | undefined;
  /** The reason for which the system did not start it. */
  #failure: string | undefined;
  #lastCall = 0;
  #unsent = 0;
  /** Looks since it has answered. */
  #unanswered = 0;
  isDraining = false;
  /** True once it has said that it is in a wrong state. */
  isFaulted = false;
  hasEnded = false;
  /** Settings and version of the host of programs that it uses. */
  hostKey: string | undefined;
  /** True once it has asked what becomes of the host: it does not use it any more. */
  hasLeftHost = false;

  constructor(start: Omit<Start, 'kind'>, listener: Listener) {
    this.slot = start.slot;
    this.#listener = listener;
    // A bundle has all programs in one folder.
    const program = import.meta.url.endsWith('.ts') ? '../process/serving-process.ts' : 'serving-process.js';
    this.#child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
      execArgv: [...V8_FLAGS],
      env: { NODE_COMPILE_CACHE: fileURLToPath(COMPILE_CACHE_FOLDER), ...process.env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    // The system may have no room for a further process or its files. Then Node tells no exit.
    const failed = guarded('a process that the system does not start', (error: Error) => {
      if (this.#child.pid !== undefined) return;
      this.#failure = error.message;
      end();
    });
    this.#child.on('error', failed);
    this.#child.on(
      'message',
      guarded('a message of a process', (message: ToSupervisor) => this.#receive(message)),
    );
    const end = guarded('the end of a process', () => {
      if (this.hasEnded) return;
      this.hasEnded = true;
      for (const measured of this.#measuring.values()) measured([]);
      listener.ended();
    });
    // Its last messages are read before the channel ends. Node does not tell the end after half a message.
    const exited = guarded('the last words of a process', () => {
      if (!this.#child.connected) return end();
      this.#child.once('disconnect', end);
      setTimeout(end, LAST_WORDS_MILLISECONDS);
    });
    this.#child.once('exit', exited);
    this.#send({ kind: 'start', ...start });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Undefined until it is ready. */
  get ready(): Ready | undefined {
    return this.#ready;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isServing(): boolean {
    return this.#ready !== undefined && !this.isDraining && !this.hasEnded;
  }

  /** The words of its end: `exit code 1`, `SIGKILL`. */
  get end(): string {
    return this.#failure ?? this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }

  /** Null if the system did not start it. */
  get log() {
    return this.#child.stderr ?? null;
  }

  hand(id: number, socket: Socket): void {
    if (!this.#child.connected) return;
    // Node would tell the other side about the server of the socket, and the server about each of its ends.
    (socket as { server?: unknown }).server = undefined;
    this.#child.send({ kind: 'connection', id } satisfies ToServing, socket, { keepOpen: true }, () => {});
  }

  lead(): void {
    this.#send({ kind: 'lead' });
  }

  unready(): void {
    this.#send({ kind: 'unready' });
  }

  drain(): void {
    this.isDraining = true;
    this.#send({ kind: 'drain' });
  }

  tellNews(origin: string, tables: readonly string[]): void {
    if (this.#unsent < MOST_WAITING) this.#send({ kind: 'news', origin, tables });
  }

  /** The values of its metrics; none if it does not answer in time. */
  measure(): Promise<readonly SentMetric[]> {
    const call = ++this.#lastCall;
    return new Promise((resolve) => {
      const measured = (metrics: readonly SentMetric[]) => {
        clearTimeout(limit);
        this.#measuring.delete(call);
        resolve(metrics);
      };
      const limit = setTimeout(() => measured([]), MEASURE_MILLISECONDS);
      this.#measuring.set(call, measured);
      this.#send({ kind: 'measure', call });
    });
  }

  /**
   * Asks whether its event loop turns; called once a second. True if it has not answered for 15 seconds, or for two minutes
   * while it starts. Looks are counted in place of time, so that a machine that slept finds no process frozen.
   */
  isFrozen(): boolean {
    if (this.#unanswered === 0) this.#send({ kind: 'ping' });
    return ++this.#unanswered > FROZEN_LOOKS[this.#ready ? 'serving' : 'starting'];
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: ToSupervisor): void {
    switch (message.kind) {
      case 'ready':
        this.#ready = message.ready;
        this.#listener.ready();
        break;
      case 'refused':
        this.#problem = message.problem;
        break;
      case 'taken':
        this.#listener.taken(message.id);
        break;
      case 'closed':
        this.#listener.closed(message.ids);
        break;
      case 'ask':
        this.#answer(message.call, message.question);
        break;
      case 'measured':
        if (message.call === 0) this.#listener.measured(message.metrics);
        else this.#measuring.get(message.call)?.(message.metrics);
        break;
      case 'pong':
        this.#unanswered = 0;
        break;
      case 'news':
        this.#listener.news(message.origin, message.tables);
        break;
      case 'faulted':
        this.#listener.faulted();
        break;
    }
  }

  #answer(call: number, question: Question): void {
    this.#listener.asked(question).then(
      (value) => this.#send({ kind: 'answer', call, value }),
      (error: unknown) => this.#send({ kind: 'answer', call, problem: String((error as Error).message) }),
    );
  }

  #send(message: ToServing): void {
    if (!this.#child.connected) return;
    this.#unsent++;
    this.#child.send(message, () => {
      this.#unsent--;
    });
  }
}
