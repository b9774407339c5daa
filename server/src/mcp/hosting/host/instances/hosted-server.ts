/**
 * One hosted server. It starts on demand, serves concurrent callers of all servers that use this host, is replaced when
 * its build or settings change, stops when idle, and waits after a failure.
 */
import { randomInt } from 'node:crypto';
import { attempt, guarded, inBackground } from '../../../../watching/background.ts';
import { type Upstream, UpstreamError } from '../../../upstream/upstream.ts';
import { type HostReport, machineTime, type ProgramSpec, type Use } from '../../boundary/host.ts';
import { BackOff } from './back-off.ts';
import type { Instance } from './instance.ts';

/** Seconds that open requests get when their process is replaced. */
const DRAIN_SECONDS = 60;
/** A caller that has just got the process has not sent its request yet. */
const QUIET_MILLISECONDS = 500;
const STOP_SECONDS = 5;

const MOST_GENERATIONS = 2 ** 47;

export interface Started {
  readonly instance: Instance;
  readonly idleSeconds: number;
  /** Releases the resources of its start, after it has ended. */
  release(): Promise<void>;
  /** Writes to its log. */
  say(message: string): void;
}

/** A server that uses programs of this host. */
export interface Holder {
  /** The run accepts no new requests. */
  left(generation: number): void;
}

interface HostedServerOptions {
  /** A clock in milliseconds. */
  elapsed(): number;
  /** Starts a program. Throws UpstreamError. */
  start(spec: ProgramSpec, backOff: BackOff, signal: AbortSignal): Promise<Started>;
  /** Runs that have not ended. */
  readonly runs: Map<number, Run>;
  /** The report may have changed. */
  changed(): void;
  failed(error: unknown): void;
}

/** Each host starts at another number: a reference to a run of an ended host must not match a program of the next. */
let lastGeneration = randomInt(MOST_GENERATIONS);

export class HostedServer {
  readonly #options: HostedServerOptions;
  readonly #backOff: BackOff;
  #current: Run | undefined;
  /** All runs that have not ended, including replaced ones. */
  readonly #runs = new Set<Run>();
  #closed = false;

  constructor(options: HostedServerOptions) {
    this.#options = options;
    this.#backOff = new BackOff(options.elapsed);
  }

  /** Throws UpstreamError (`unavailable`). */
  async use(spec: ProgramSpec, holder: Holder): Promise<Use> {
    if (this.#closed) throw new UpstreamError('unavailable', 'The server is being stopped.', 1);
    if (this.#current && this.#current.spec.version !== spec.version) this.replace('it was changed');
    this.#current ??= this.#begin(spec);
    const run = this.#current;
    run.hold(holder);
    const { endpoint } = (await run.started).instance;
    return { generation: run.generation, endpoint };
  }

  /** The next use gets a new process; open requests finish in the old one. */
  replace(reason: string): void {
    this.#backOff.reset();
    const run = this.#current;
    this.#current = undefined;
    run?.drain(reason);
    this.#options.changed();
  }

  /** The holder is gone, with its calls. */
  leave(holder: Holder): void {
    for (const run of this.#runs) run.release(holder);
  }

  report(): HostReport {
    const run = this.#current;
    const instance = run?.begun?.instance;
    const { waitSeconds, total, lastFailure } = this.#backOff;
    return {
      state: instance ? 'running' : run ? 'starting' : waitSeconds > 0 ? 'waiting' : 'stopped',
      deploymentId: (instance && run?.spec.deploymentId) ?? null,
      startedAt: run?.startedAt ?? null,
      processes: instance?.processes ?? 0,
      memoryBytes: instance?.memoryBytes() ?? 0,
      failures: total,
      lastFailure: lastFailure ?? null,
      retryAfterSeconds: waitSeconds,
    };
  }

  /** Ends everything immediately, for good. */
  close(reason: string): Promise<void> {
    this.#closed = true;
    return this.stopAll(reason);
  }

  /** Ends everything immediately. The next use starts a program. */
  async stopAll(reason: string): Promise<void> {
    this.#current = undefined;
    await Promise.all([...this.#runs].map((run) => attempt('the end of a hosted server', () => run.stop(reason))));
  }

  #begin(spec: ProgramSpec): Run {
    const giveUp = new AbortController();
    const run: Run = new Run(spec, this.#start(spec, giveUp.signal), {
      giveUp: () => giveUp.abort(),
      failed: (error) => this.#options.failed(error),
      changed: () => this.#options.changed(),
      ended: (reason, ranSeconds) => {
        this.#runs.delete(run);
        this.#options.runs.delete(run.generation);
        if (this.#current === run) this.#current = undefined;
        if (reason !== undefined) this.#backOff.failed(reason, ranSeconds);
        this.#options.changed();
      },
      // Idle or replaced: the next caller starts another one.
      leaving: () => {
        if (this.#current === run) this.#current = undefined;
        this.#options.changed();
      },
    });
    this.#runs.add(run);
    this.#options.runs.set(run.generation, run);
    this.#options.changed();
    return run;
  }

  async #start(spec: ProgramSpec, signal: AbortSignal): Promise<Started> {
    await this.#backOff.untilAllowed();
    return this.#options.start(spec, this.#backOff, signal);
  }
}

interface RunListener {
  /** `reason` describes the failure; undefined when it ended on request. */
  ended(reason: string | undefined, ranSeconds: number): void;
  leaving(): void;
  changed(): void;
  /** Receives a fault of this host after the end of a run; the run counts as ended. */
  failed(error: unknown): void;
  /** Aborts a start. */
  giveUp(): void;
}

/** A start and its result. */
export class Run {
  readonly generation = ++lastGeneration;
  readonly spec: ProgramSpec;
  readonly started: Promise<Started>;
  readonly startedAt = machineTime();
  begun: Started | undefined;
  readonly #listener: RunListener;
  readonly #ended: Promise<void>;
  /** The number of open calls of each user. */
  readonly #holders = new Map<Holder, number>();
  #idle: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  /** The reason why it is being drained. */
  #draining: string | undefined;

  constructor(spec: ProgramSpec, starting: Promise<Started>, listener: RunListener) {
    this.spec = spec;
    this.#listener = listener;
    this.started = starting.then((started) => this.#begin(started));
    this.#ended = starting.then(
      (started) => this.#untilEnd(started).catch((error: unknown) => listener.failed(error)),
      () => listener.ended(undefined, 0),
    );
    this.started.catch(() => {});
  }

  /** Undefined unless it runs on stdin and stdout. */
  get upstream(): Upstream | undefined {
    return this.begun?.instance.upstream;
  }

  hold(holder: Holder): void {
    if (!this.#holders.has(holder)) this.#holders.set(holder, 0);
    this.#idle?.refresh();
  }

  tell(holder: Holder, underWay: number): void {
    this.#holders.set(holder, underWay);
    this.#idle?.refresh();
    if (this.#draining !== undefined) this.#stopWhenQuiet();
  }

  release(holder: Holder): void {
    this.#holders.delete(holder);
    if (this.#draining !== undefined) this.#stopWhenQuiet();
  }

  #begin(started: Started): Started {
    this.begun = started;
    this.#idle = setTimeout(
      guarded('a check of an idle server', () => this.#lookIdle()),
      started.idleSeconds * 1000,
    ).unref();
    if (this.#draining !== undefined) this.#armDrain();
    this.#listener.changed();
    return started;
  }

  async #untilEnd(started: Started): Promise<void> {
    const began = performance.now();
    const reason = await started.instance.ended;
    clearTimeout(this.#idle);
    started.say(`The server has ended: it ${reason}.`);
    this.#listener.ended(this.#stopping === undefined ? reason : undefined, (performance.now() - began) / 1000);
    this.#tellLeft();
    await started.release();
  }

  /** Lets open calls finish. */
  drain(reason: string): void {
    if (this.#draining !== undefined) return;
    this.#draining = reason;
    this.#listener.leaving();
    this.#tellLeft();
    if (this.begun) this.#armDrain();
  }

  #tellLeft(): void {
    for (const holder of this.#holders.keys()) holder.left(this.generation);
  }

  #armDrain(): void {
    setTimeout(
      guarded('the end of a replaced server', () => this.#stopInBackground()),
      DRAIN_SECONDS * 1000,
    ).unref();
    this.#stopWhenQuiet();
  }

  #stopWhenQuiet(): void {
    setTimeout(
      guarded('a check of a replaced server', () => {
        if (this.#isQuiet()) this.#stopInBackground();
      }),
      QUIET_MILLISECONDS,
    ).unref();
  }

  #isQuiet(): boolean {
    return this.#holders.values().every((calls) => calls === 0);
  }

  /** Resolves when it has ended and its folder is removed. */
  async stop(reason: string): Promise<void> {
    this.#listener.leaving();
    this.#listener.giveUp();
    this.#stopping ??= this.started.then(
      ({ instance }) => instance.stop(STOP_SECONDS, reason),
      () => {},
    );
    await this.#stopping;
    await this.#ended;
  }

  #lookIdle(): void {
    if (this.#isQuiet()) this.drain('it was idle');
    else this.#idle?.refresh();
  }

  #stopInBackground(): void {
    const reason = this.#draining ?? '';
    inBackground('the end of a hosted server', () => this.stop(reason));
  }
}
