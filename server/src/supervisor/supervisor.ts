/**
 * Holds the port and starts the processes that serve behind it. It reads no request and knows no database, so nothing
 * that requests do can stop it.
 */
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { capacityOf } from '../fairness/capacity.ts';
import { ConnectionLimits } from '../fairness/connections.ts';
import { listen, reachableUrl } from '../network/listen.ts';
import type { MetricsEndpoint } from '../process/metrics/endpoint.ts';
import { type StartedServer, setUpUrl } from '../process/start-message.ts';
import type { SettingFlags } from '../settings/sources/resolve.ts';
import { PROTOCOL, type Question } from '../supervision/messages.ts';
import { sharesText } from '../supervision/shares-text.ts';
import { guarded, inBackground } from '../watching/background.ts';
import type { Logger, LogSink } from '../watching/logger.ts';
import { BackOff } from './back-off.ts';
import { Dispatcher } from './dispatcher.ts';
import { Hosts } from './hosts.ts';
import { passLines } from './log-lines.ts';
import { ServingProcess } from './serving-process.ts';
import type { Measured, SummedMetrics } from './summed-metrics.ts';

/** Time for the end of a process, in addition to that of its requests. */
const STOP_SECONDS = 12;
/** The time between two questions to each process whether it is alive. */
const LOOK_MILLISECONDS = 1000;
/** Connections that the system accepts for a supervisor that is busy. */
const BACKLOG = 4096;

interface SupervisorOptions {
  readonly config: Config;
  /** The number of processes that serve. */
  readonly processes: number;
  /** The flags of the command line that name settings. */
  readonly flags: SettingFlags;
  readonly logger: Logger;
  readonly log: LogSink;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #id = randomUUID();
  readonly #dispatcher = new Dispatcher();
  readonly #limits: ConnectionLimits;
  readonly #hosts: Hosts;
  readonly #server: Server;
  readonly #processes = new Set<ServingProcess>();
  readonly #backOffs = new Map<number, BackOff>();
  /** When each process began to serve. */
  readonly #servingSince = new Map<ServingProcess, number>();
  /** Calls to make when a process is ready or has ended. */
  readonly #changed = new Set<() => void>();
  #lead: ServingProcess | undefined;
  #metrics: SummedMetrics | undefined;
  #endpoint: MetricsEndpoint | undefined;
  #restarting: Promise<void> = Promise.resolve();
  /** A restart that has not begun. */
  #nextRestart: Promise<void> | undefined;
  #looks: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** Ends the pauses of processes that wait for their next start. */
  readonly #stopped = new AbortController();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { config, logger } = options;
    this.#limits = new ConnectionLimits(config, capacityOf(config));
    this.#hosts = new Hosts(logger);
    const accept = (socket: Socket) => {
      const leave = this.#limits.enter(socket);
      if (leave) this.#dispatcher.accept(socket, leave);
      else socket.destroy();
    };
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, guarded('a new connection', accept));
  }

  /** Resolves when all processes serve. Throws ConfigError for a fault that the operator can correct. */
  async start(): Promise<StartedServer> {
    const { config, processes } = this.#options;
    const { host } = config;
    const begin = (address: { readonly host: string; readonly port: number }) =>
      new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen({ ...address, backlog: BACKLOG }, () => {
          this.#server.off('error', reject);
          resolve();
        });
      });
    await listen(begin, config);
    await this.#serveMetrics();
    const look = guarded('a look for frozen processes', () => this.#endFrozen());
    this.#looks = setInterval(look, LOOK_MILLISECONDS).unref();
    const first = await this.#begin(true);
    for (let more = 1; more < processes; more++) await this.#begin();
    const url = reachableUrl(host, this.#port) + config.basePath;
    const { hosting = '', setUpToken } = first.ready ?? {};
    return {
      url,
      metricsUrl: this.#endpoint && `${reachableUrl(config.metricsHost, this.#endpoint.port)}/metrics`,
      hosting,
      setUpUrl: setUpToken && setUpUrl(config, url, setUpToken),
      processes: sharesText(config, processes),
    };
  }

  /**
   * Replaces each process by a new one, of the files and settings as they are now: a process ends when another one serves
   * in its place. Resolves when all are replaced, or when a new one does not start: then the others go on.
   */
  restart(): Promise<void> {
    // All who ask during a restart share the next one.
    this.#nextRestart ??= this.#restarting.then(() => {
      this.#nextRestart = undefined;
      return this.#restartAll();
    });
    this.#restarting = this.#nextRestart;
    return this.#nextRestart;
  }

  /**
   * Says at `/api/ready` that the server stops, and after SIGNALBOX_DRAIN_DELAY_SECONDS accepts no connections and ends
   * the processes in order, and the programs after them.
   */
  async stop(): Promise<void> {
    const { config } = this.#options;
    this.#isStopping = true;
    clearInterval(this.#looks);
    this.#stopped.abort();
    for (const one of this.#processes) one.unready();
    await delay(config.drainDelaySeconds * 1000);
    this.#server.close();
    this.#dispatcher.close();
    await Promise.all([...this.#processes].map((one) => this.#end(one)));
    await this.#hosts.close();
    this.#endpoint?.close();
  }

  /** Ends all processes now. */
  kill(): void {
    this.#isStopping = true;
    for (const one of this.#processes) one.kill();
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? this.#options.config.port;
  }

  /** Starts a process in the first free place. Resolves when it serves, and rejects when it ends before. */
  async #begin(offersSetUp = false): Promise<ServingProcess> {
    const { flags, processes, log } = this.#options;
    const taken = new Set([...this.#processes].map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot++;
    const metricsPort = this.#endpoint?.port;
    const started: ServingProcess = new ServingProcess(
      {
        ...{ protocol: PROTOCOL, flags, slot, processes, offersSetUp },
        supervisor: this.#id,
        port: this.#port,
        ports: metricsPort === undefined ? [] : [metricsPort],
      },
      {
        ready: () => this.#joined(started),
        taken: (id) => this.#dispatcher.taken(started, id),
        closed: (ids) => this.#dispatcher.closed(started, ids),
        asked: (question) => this.#asked(started, question),
        news: (origin, tables) => {
          for (const other of this.#processes) if (other !== started) other.tellNews(origin, tables);
        },
        faulted: () => {
          if (started.isFaulted || started.isDraining || this.#isStopping) return;
          started.isFaulted = true;
          inBackground('the replacement of a process with a fault', () => this.#replace(started));
        },
        measured: (metrics) => this.#metrics?.note({ process: String(slot), metrics }),
        ended: () => this.#ended(started),
      },
    );
    this.#processes.add(started);
    if (started.log) passLines(started.log, `process ${slot}`, log);
    await this.#until(() => started.ready !== undefined || started.hasEnded);
    if (started.ready !== undefined) return started;
    if (started.problem !== undefined) throw new ConfigError(started.problem);
    throw new Error(`A process ended before it served (${started.end}).`);
  }

  #joined(one: ServingProcess): void {
    this.#servingSince.set(one, performance.now());
    if (this.#isStopping) return;
    this.#dispatcher.join(one);
    this.#chooseLead();
    this.#tellChanged();
  }

  /** Background services run in one process. */
  #chooseLead(): void {
    if (this.#lead?.isServing || this.#isStopping) return;
    this.#lead = [...this.#processes].find(({ isServing }) => isServing);
    this.#lead?.lead();
  }

  #ended(one: ServingProcess): void {
    const { logger } = this.#options;
    this.#processes.delete(one);
    this.#dispatcher.gone(one);
    this.#metrics?.end(String(one.slot));
    const since = this.#servingSince.get(one);
    this.#servingSince.delete(one);
    this.#chooseLead();
    this.#tellChanged();
    // The start, or the restart of all, that waits for it decides what follows.
    if (this.#isStopping || one.isDraining || since === undefined) return;
    logger.error({ ended: one.slot, end: one.end }, 'a process has ended; another one is started');
    inBackground('the start of a process', () => this.#startAgain(one.slot, performance.now() - since));
  }

  /** Kills processes whose event loop stands still. Their ends start others. */
  #endFrozen(): void {
    for (const one of this.#processes) {
      // One that drains has a limit of its own.
      if (one.isDraining || !one.isFrozen()) continue;
      this.#options.logger.error({ process: one.slot }, 'a process does not answer any more; it is killed');
      one.kill();
    }
  }

  /** Tries until a process serves. */
  async #startAgain(slot: number, servedMilliseconds: number): Promise<void> {
    const { logger } = this.#options;
    const backOff = this.#backOffs.get(slot) ?? new BackOff();
    this.#backOffs.set(slot, backOff);
    let served = servedMilliseconds;
    while (!this.#isStopping) {
      await delay(backOff.next(served), undefined, { signal: this.#stopped.signal }).catch(() => {});
      if (this.#isStopping) return;
      try {
        await this.#begin();
        return;
      } catch (error) {
        served = 0;
        if (!this.#isStopping) logger.error({ err: error }, 'a process could not be started; it is tried again');
      }
    }
  }

  async #restartAll(): Promise<void> {
    const { logger } = this.#options;
    const old = [...this.#processes].filter(({ isServing }) => isServing);
    for (const one of old) {
      if (this.#isStopping) return;
      if (!one.isServing) continue;
      try {
        await this.#replace(one);
      } catch (error) {
        if (!this.#isStopping) logger.error({ err: error }, 'a new process could not be started; the others go on');
        return;
      }
    }
    const versions = new Set([...this.#processes].map(({ ready }) => ready?.version));
    logger.info({ processes: this.#processes.size, versions: [...versions] }, 'all processes are new');
  }

  /** Ends a process after another one serves. */
  async #replace(one: ServingProcess): Promise<void> {
    await this.#begin();
    if (!one.isServing) return;
    await this.#end(one);
  }

  /** Resolves when it has ended. */
  async #end(one: ServingProcess): Promise<void> {
    const { config } = this.#options;
    const limit = setTimeout(() => one.kill(), (config.drainSeconds + STOP_SECONDS) * 1000);
    if (one.ready === undefined) one.kill();
    this.#dispatcher.leave(one);
    one.drain();
    this.#chooseLead();
    await this.#until(() => one.hasEnded);
    clearTimeout(limit);
  }

  async #asked(one: ServingProcess, question: Question): Promise<unknown> {
    switch (question.name) {
      case 'host':
        one.hostKey = Hosts.keyOf(question.given);
        return this.#hosts.placeOf(question.given);
      case 'endsHost': {
        one.hasLeftHost = true;
        const usesIt = (other: ServingProcess) => other.hostKey === one.hostKey && !other.hasLeftHost;
        return one.hostKey !== undefined && ![...this.#processes].some(usesIt);
      }
    }
  }

  async #serveMetrics(): Promise<void> {
    const { config } = this.#options;
    if (config.metricsPort === undefined) return;
    const { SummedMetrics } = await import('./summed-metrics.ts');
    const { serveMetrics } = await import('../process/metrics/endpoint.ts');
    const metrics = new SummedMetrics(() => this.#measure());
    this.#endpoint = await serveMetrics(metrics, config.metricsHost, config.metricsPort);
    this.#metrics = metrics;
  }

  #measure(): Promise<Measured[]> {
    const ready = [...this.#processes].filter((one) => one.ready !== undefined);
    return Promise.all(ready.map(async (one) => ({ process: String(one.slot), metrics: await one.measure() })));
  }

  #until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isTrue()) return;
        this.#changed.delete(look);
        resolve();
      };
      this.#changed.add(look);
      look();
    });
  }

  #tellChanged(): void {
    for (const look of [...this.#changed]) look();
  }
}
