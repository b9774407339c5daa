/**
 * Keeps the hosts of foreign programs, so that programs outlive the process that has started them: one host for each
 * version and its settings. A host ends when nobody has used it for a while, or with the supervisor.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { removeSocket, type StartedHost, startHost } from '../mcp/hosting/boundary/start-host.ts';
import type { HostPlace, Questions } from '../supervision/messages.ts';
import { guarded } from '../watching/background.ts';
import type { Logger } from '../watching/logger.ts';

/** Pause between two starts when hosts end immediately. */
const PAUSE_MILLISECONDS = 500;
/** Time for the programs to end, after which the host is killed. */
const STOP_MILLISECONDS = 15_000;

type Given = Questions['host']['given'];

interface Kept {
  readonly id: string;
  readonly started: StartedHost;
  readonly ended: Promise<void>;
}

export class Hosts {
  readonly #logger: Logger;
  readonly #kept = new Map<string, Kept>();
  readonly #lastStart = new Map<string, number>();
  #closed = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  static keyOf(given: Given): string {
    return JSON.stringify([given.build, given.settings]);
  }

  /** Starts a host if none runs. The process that asks waits until it listens. */
  async placeOf(given: Given): Promise<HostPlace> {
    const key = Hosts.keyOf(given);
    const wait = (this.#lastStart.get(key) ?? Number.NEGATIVE_INFINITY) + PAUSE_MILLISECONDS - performance.now();
    if (!this.#kept.has(key) && wait > 0) await delay(wait);
    if (this.#closed) throw new Error('The server is being stopped.');
    const { started } = this.#kept.get(key) ?? this.#start(key, given);
    const { folder, socket, token } = started;
    return { pid: started.process.pid ?? 0, folder, socket, token };
  }

  /** Ends all hosts, with their programs. */
  async close(): Promise<void> {
    this.#closed = true;
    const kept = [...this.#kept.values()];
    for (const { started } of kept) started.process.stdin?.end();
    const kill = guarded('the end of hosts that do not stop', () => {
      for (const { started } of kept) started.process.kill('SIGKILL');
    });
    const limit = setTimeout(kill, STOP_MILLISECONDS);
    await Promise.all(kept.map(({ ended }) => ended));
    clearTimeout(limit);
  }

  #start(key: string, { settings }: Given): Kept {
    this.#lastStart.set(key, performance.now());
    const started = startHost(settings);
    const ended = new Promise<void>((resolve) => {
      started.process.once('exit', () => resolve());
      started.process.once('error', () => resolve());
    }).then(() => {
      removeSocket(started);
      if (this.#kept.get(key)?.id === kept.id) this.#kept.delete(key);
      const { exitCode, signalCode } = started.process;
      if (exitCode !== 0 && !this.#closed) {
        this.#logger.error(
          { end: signalCode ?? `exit code ${exitCode}` },
          'the host of programs has ended; the next use starts it again',
        );
      }
    });
    const kept: Kept = { id: randomUUID(), started, ended };
    this.#kept.set(key, kept);
    return kept;
  }
}
