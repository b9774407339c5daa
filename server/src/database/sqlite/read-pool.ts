import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '../../errors.ts';
import { Gate, TWO_THIRDS } from '../../fairness/gate.ts';
import { guarded } from '../../watching/background.ts';
import type { Requester } from '../store.ts';
import type { ReadAnswer, ReadQuestion } from './read-process.ts';

/** One share gets two of them, so that the third stays free for another share. */
const PROCESSES = 3;
/** Waiting reads of one share; the next is refused. */
const MAX_WAITING = 200;
/** Characters of one share's waiting and running queries; a further query is refused. */
const MAX_SHARE_LENGTH = 4_000_000;
/** A process that is idle for this long ends. */
const IDLE_MILLISECONDS = 60_000;
/**
 * A read whose requester has left may run this long, because starting a new process costs more than letting it finish.
 */
const UNWANTED_MILLISECONDS = 500;
/** The factor by which a background service may take longer than a request. */
const BACKGROUND_FACTOR = 10;

/** The source is beside this file; a program of its own is beside the bundle. */
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './read-process.ts' : './read-process.js', import.meta.url),
);

/**
 * Runs reads in separate processes, a few at a time. A read past its time limit is ended with its process and answered
 * 503; so is a read whose client has gone. Processes start on demand.
 */
export class ReadPool {
  readonly #file: string;
  readonly #timeoutMilliseconds: number;
  readonly #gate: Gate;
  readonly #idle: ReadProcess[] = [];
  readonly #all = new Set<ReadProcess>();
  /** Characters of each share's waiting and running queries. */
  readonly #lengths = new Map<string, number>();
  #closed = false;

  /** `timeoutSeconds` 0 means no limit. */
  constructor(file: string, timeoutSeconds: number) {
    this.#file = file;
    this.#timeoutMilliseconds = timeoutSeconds * 1000;
    const waitMilliseconds = this.#timeoutMilliseconds || 60_000;
    this.#gate = new Gate({
      name: 'read processes',
      places: PROCESSES,
      levels: [TWO_THIRDS],
      waits: { milliseconds: waitMilliseconds, mostOfOne: MAX_WAITING },
      busy: 'The database is busy.',
    });
  }

  /** Throws Unavailable when the read is ended before it completes. */
  async ask(question: ReadQuestion, share: string, { signal, background, caller }: Requester): Promise<ReadAnswer> {
    const length = lengthOf(question);
    const before = this.#lengths.get(share) ?? 0;
    if (before > 0 && before + length > MAX_SHARE_LENGTH) throw new Unavailable('Too many long queries at once.');
    this.#lengths.set(share, before + length);
    let release = () => {};
    try {
      release = await this.#gate.acquire([share, caller ?? ''], { signal });
      if (this.#closed) throw new Unavailable('The server is shutting down.');
      const reader = this.#idle.pop() ?? this.#start();
      const factor = background ? BACKGROUND_FACTOR : 1;
      const answer = await reader.ask(question, this.#timeoutMilliseconds * factor, signal);
      if (!this.#closed) this.#rest(reader);
      return answer;
    } finally {
      release();
      const left = (this.#lengths.get(share) ?? 0) - length;
      if (left > 0) this.#lengths.set(share, left);
      else this.#lengths.delete(share);
    }
  }

  close(): void {
    this.#closed = true;
    for (const reader of this.#all) reader.end();
  }

  #start(): ReadProcess {
    const reader = new ReadProcess(this.#file, () => {
      this.#all.delete(reader);
      const index = this.#idle.indexOf(reader);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    this.#all.add(reader);
    return reader;
  }

  #rest(reader: ReadProcess): void {
    if (!this.#all.has(reader)) return;
    this.#idle.push(reader);
    reader.endAfter(IDLE_MILLISECONDS);
  }
}

/** Characters of the query and of the texts among its values. */
export function lengthOf({ sql, parameters }: Pick<ReadQuestion, 'sql' | 'parameters'>): number {
  let length = sql.length;
  for (const value of parameters) if (typeof value === 'string') length += value.length;
  return length;
}

interface Asked {
  resolve(answer: ReadAnswer): void;
  reject(error: Error): void;
}

/** One process, which runs one query at a time. */
class ReadProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process is ready, or has ended. */
  readonly #ready: Promise<void>;
  #ended = false;
  #asked: Asked | undefined;
  #retirement: NodeJS.Timeout | undefined;

  constructor(file: string, onEnd: () => void) {
    const cache = getCompileCacheDir();
    this.#child = fork(program, [file], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--max-semi-space-size=8'],
      // It reads one file and needs neither settings nor secrets of the server.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    });
    this.#setBusy(false);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ready = promise;
    const take = (message: ReadAnswer | 'ready') => {
      if (message === 'ready') resolve();
      else this.#settle()?.resolve(message);
    };
    this.#child.on(
      'message',
      guarded('an answer of a process that reads', take, () => this.end()),
    );
    const ended = () => {
      this.#ended = true;
      resolve();
      clearTimeout(this.#retirement);
      onEnd();
      this.#settle()?.reject(cutOff());
    };
    const end = guarded('the end of a process that reads', ended);
    this.#child.once('error', end);
    this.#child.once('exit', end);
  }

  async ask(question: ReadQuestion, timeoutMilliseconds: number, signal: AbortSignal | undefined): Promise<ReadAnswer> {
    clearTimeout(this.#retirement);
    this.#setBusy(true);
    await this.#ready;
    if (this.#ended) throw cutOff();
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const giveUp = (message: string) => {
        const asked = this.#settle();
        this.end();
        asked?.reject(new Unavailable(message));
      };
      const overdue = () =>
        giveUp(`The query took longer than ${timeoutMilliseconds / 1000} s and was cancelled. Request less at once.`);
      let timer = timeoutMilliseconds > 0 ? setTimeout(overdue, timeoutMilliseconds) : undefined;
      const onAbort = () => {
        clearTimeout(timer);
        const left = Math.max(0, UNWANTED_MILLISECONDS - (performance.now() - began));
        timer = setTimeout(() => giveUp('The client has disconnected.'), left);
      };
      const settled = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      this.#asked = {
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
      this.#child.send(question, (error) => {
        if (error) giveUp(cutOff().message);
      });
    });
  }

  end(): void {
    clearTimeout(this.#retirement);
    this.#child.kill('SIGKILL');
  }

  endAfter(milliseconds: number): void {
    this.#retirement = setTimeout(() => this.end(), milliseconds);
    this.#retirement.unref();
  }

  #settle(): Asked | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#setBusy(false);
    return asked;
  }

  /** An idle process does not keep the server's process alive. */
  #setBusy(isBusy: boolean): void {
    const change = isBusy ? 'ref' : 'unref';
    this.#child[change]();
    this.#child.channel?.[change]();
  }
}

function cutOff(): Unavailable {
  return new Unavailable('The database could not be read completely.');
}
