/** The keeper of the host of foreign programs: this server for itself, or another process for all servers of the machine. */
import type { Socket } from 'node:net';
import type { HostSettings } from './settings.ts';
import { connectToHost, removeSocket, type StartedHost, startHost } from './start-host.ts';

const STOP_MILLISECONDS = 15_000;

/** A host that runs. */
export interface KeptHost {
  readonly pid: number | undefined;
  readonly token: string;
  /** Rejects when the host ends before it listens. */
  connect(): Promise<Socket>;
  /** The connection is lost, for whatever reason. */
  abandon(): void;
  /** Resolves when the host, whose programs have ended, has ended. */
  end(): Promise<void>;
}

export interface HostKeeper {
  /** Starts a host, if none runs for these settings. */
  start(settings: HostSettings): Promise<KeptHost>;
  /** True if programs end with this server, because no other uses them. */
  endsPrograms(): Promise<boolean>;
}

/** The host of this server alone. */
export class OwnHost implements HostKeeper {
  async start(settings: HostSettings): Promise<KeptHost> {
    return new KeptOwnHost(startHost(settings));
  }

  async endsPrograms(): Promise<boolean> {
    return true;
  }
}

class KeptOwnHost implements KeptHost {
  readonly #started: StartedHost;

  constructor(started: StartedHost) {
    this.#started = started;
  }

  get pid(): number | undefined {
    return this.#started.process.pid;
  }

  get token(): string {
    return this.#started.token;
  }

  async connect(): Promise<Socket> {
    try {
      return await connectToHost(this.#started, () => this.#hasEnded);
    } catch (error) {
      this.abandon();
      throw error;
    } finally {
      removeSocket(this.#started);
    }
  }

  readonly abandon = () => {
    this.#started.process.kill('SIGKILL');
  };

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = new Promise((resolve) => this.#started.process.once('exit', resolve));
    const limit = setTimeout(() => this.abandon(), STOP_MILLISECONDS);
    await ended;
    clearTimeout(limit);
  }

  get #hasEnded(): boolean {
    const { exitCode, signalCode } = this.#started.process;
    return exitCode !== null || signalCode !== null;
  }
}
