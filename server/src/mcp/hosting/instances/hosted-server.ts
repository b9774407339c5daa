/**
 * One hosted server in this process. It starts on demand, serves concurrent callers, is replaced when its build or
 * settings change, stops when idle, and waits after a failure.
 */
import { guarded, inBackground } from '../../../background.ts';
import type { Logger } from '../../../logger.ts';
import type { Clock, Timestamp } from '../../../time.ts';
import type { ProcessReport } from '../../upstream/hosted-servers.ts';
import { type AnswerSink, type Upstream, type UpstreamCall, UpstreamError } from '../../upstream/upstream.ts';
import { BackOff } from './back-off.ts';
import type { Instance } from './instance.ts';

/** How long requests under way are given when their process is replaced. */
const DRAIN_SECONDS = 60;
/** A caller that has just got the process has not sent anything yet. */
const QUIET_MILLISECONDS = 500;
const STOP_SECONDS = 5;

export interface Started {
  readonly instance: Instance;
  readonly deploymentId: string;
  /** The version that it was started with; see `versionOf`. */
  readonly version: string;
  readonly idleSeconds: number;
  /** Gives back what it was started with, once it has ended. */
  release(): Promise<void>;
  /** Writes to its log. */
  say(message: string): void;
}

export interface HostedServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts what is live now. Throws UpstreamError. */
  start(backOff: BackOff, signal: AbortSignal): Promise<Started>;
}

export class HostedServer {
  readonly #options: HostedServerOptions;
  readonly #backOff: BackOff;
  #current: Run | undefined;
  /** All that have not ended, the replaced ones too. */
  readonly #runs = new Set<Run>();
  #closed = false;

  constructor(options: HostedServerOptions) {
    this.#options = options;
    this.#backOff = new BackOff(() => options.clock.elapsed());
  }

  /** Throws UpstreamError (`unavailable`). */
  upstream(): Promise<Upstream> {
    if (this.#closed) return Promise.reject(new UpstreamError('unavailable', 'The server is being stopped.', 1));
    this.#current ??= this.#begin();
    this.#current.touch();
    return this.#current.upstream;
  }

  /** The version that serves; undefined when nothing does. */
  get runningVersion(): string | undefined {
    return this.#current?.started?.version;
  }

  /** The version that serves, or that will when it has started; undefined when nothing does. */
  async startedVersion(): Promise<string | undefined> {
    await this.#current?.upstream.catch(() => {});
    return this.runningVersion;
  }

  /** The next request gets a new process; requests under way finish in the old one. */
  replace(reason: string): void {
    this.#backOff.reset();
    const run = this.#current;
    this.#current = undefined;
    run?.drain(reason);
  }

  report(): ProcessReport {
    const run = this.#current;
    const { instance, deploymentId } = run?.started ?? {};
    const { waitSeconds, total, lastFailure } = this.#backOff;
    return {
      state: instance ? 'running' : run ? 'starting' : waitSeconds > 0 ? 'waiting' : 'stopped',
      deploymentId: deploymentId ?? null,
      startedAt: run?.startedAt ?? null,
      processes: instance?.processes ?? 0,
      memoryBytes: instance?.memoryBytes() ?? 0,
      requestsUnderWay: run?.calls ?? 0,
      failures: total,
      lastFailure: lastFailure ?? null,
      retryAfterSeconds: waitSeconds,
    };
  }

  /** Ends everything, now. */
  async close(reason: string): Promise<void> {
    this.#closed = true;
    this.#current = undefined;
    await Promise.all([...this.#runs].map((run) => run.stop(reason)));
  }

  #begin(): Run {
    const giveUp = new AbortController();
    const run: Run = new Run(this.#start(giveUp.signal), {
      giveUp: () => giveUp.abort(),
      failed: (error) => this.#options.logger.error({ err: error }, 'the end of a hosted server failed'),
      startedAt: this.#options.clock.now(),
      ended: (reason, ranSeconds) => {
        this.#runs.delete(run);
        if (this.#current === run) this.#current = undefined;
        if (reason !== undefined) this.#backOff.failed(reason, ranSeconds);
      },
      // Idle or replaced: the next caller starts another one.
      leaving: () => {
        if (this.#current === run) this.#current = undefined;
      },
    });
    this.#runs.add(run);
    return run;
  }

  async #start(signal: AbortSignal): Promise<Started> {
    await this.#backOff.untilAllowed();
    return this.#options.start(this.#backOff, signal);
  }
}

interface RunListener {
  readonly startedAt: Timestamp;
  /** `reason` says what went wrong; undefined when it ended on request. */
  ended(reason: string | undefined, ranSeconds: number): void;
  leaving(): void;
  /** Learns of a fault of this server after the end of a run; the run counts as ended. */
  failed(error: unknown): void;
  /** Ends a start that is under way. */
  giveUp(): void;
}

/** A start and what came of it. */
class Run {
  readonly upstream: Promise<Upstream>;
  readonly startedAt: Timestamp;
  started: Started | undefined;
  calls = 0;
  readonly #listener: RunListener;
  readonly #ended: Promise<void>;
  #idle: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  /** Why it is being drained. */
  #draining: string | undefined;

  constructor(starting: Promise<Started>, listener: RunListener) {
    this.#listener = listener;
    this.startedAt = listener.startedAt;
    this.upstream = starting.then((started) => this.#begin(started));
    this.#ended = starting.then(
      (started) => this.#untilEnd(started).catch((error: unknown) => listener.failed(error)),
      () => listener.ended(undefined, 0),
    );
    this.upstream.catch(() => {});
  }

  #begin(started: Started): Upstream {
    this.started = started;
    this.#idle = setTimeout(
      guarded('a look at an idle server', () => this.#lookIdle()),
      started.idleSeconds * 1000,
    ).unref();
    if (this.#draining !== undefined) this.#armDrain();
    return { send: (request, sink) => this.#send(started, request, sink) };
  }

  async #untilEnd(started: Started): Promise<void> {
    const began = performance.now();
    const reason = await started.instance.ended;
    clearTimeout(this.#idle);
    started.say(`The server has ended: it ${reason}.`);
    this.#listener.ended(this.#stopping === undefined ? reason : undefined, (performance.now() - began) / 1000);
    await started.release();
  }

  /** Lets calls under way finish. */
  drain(reason: string): void {
    if (this.#draining !== undefined) return;
    this.#draining = reason;
    if (this.started) this.#armDrain();
  }

  #armDrain(): void {
    setTimeout(() => this.#stopInBackground(this.#draining ?? ''), DRAIN_SECONDS * 1000).unref();
    this.#stopWhenQuiet();
  }

  #stopWhenQuiet(): void {
    setTimeout(() => {
      if (this.calls === 0) this.#stopInBackground(this.#draining ?? '');
    }, QUIET_MILLISECONDS).unref();
  }

  /** Call it before each use; it restarts the idle time. */
  touch(): void {
    this.#idle?.refresh();
  }

  /** Resolves when it has ended and its folder is gone. */
  async stop(reason: string): Promise<void> {
    this.#listener.leaving();
    this.#listener.giveUp();
    this.#stopping ??= this.upstream.then(
      () => this.started?.instance.stop(STOP_SECONDS, reason),
      () => {},
    );
    await this.#stopping;
    await this.#ended;
  }

  #lookIdle(): void {
    if (this.calls > 0) this.#idle?.refresh();
    else this.#stopInBackground('nobody has used it for a while');
  }

  #stopInBackground(reason: string): void {
    inBackground('the end of a hosted server', () => this.stop(reason));
  }

  #send(started: Started, request: Parameters<Upstream['send']>[0], sink: AnswerSink): UpstreamCall {
    this.calls++;
    let over = false;
    const finish = () => {
      if (over) return;
      over = true;
      this.calls--;
      this.#idle?.refresh();
      if (this.calls === 0 && this.#draining !== undefined) this.#stopWhenQuiet();
    };
    const call = started.instance.upstream.send(request, {
      begin: (status, headers) => sink.begin(status, headers),
      data: (chunk) => sink.data(chunk),
      end: () => {
        finish();
        sink.end();
      },
      fail: (error) => {
        finish();
        sink.fail(error);
      },
    });
    return {
      abort: () => {
        finish();
        call.abort();
      },
      resume: () => call.resume(),
    };
  }
}
