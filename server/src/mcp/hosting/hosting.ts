/** The hosted servers of this server: makes the live deployments run, and tracks their state. Their host runs them. */

import { existsSync } from 'node:fs';
import { ANY, type Hub, type ServerChange } from '../../changes/hub.ts';
import type { Store } from '../../database/store.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { Peers } from '../../peers/peers.ts';
import { addSeconds, type Clock, type Timestamp } from '../../values/time.ts';
import { guarded, inBackground } from '../../watching/background.ts';
import type { Logger } from '../../watching/logger.ts';
import type {
  HostedCounts,
  HostedServers,
  OutputOwner,
  ProcessReport,
  TriedBuild,
} from '../upstream/hosted-servers.ts';
import { type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { type Host, type HostListener, type HostReport, machineTime } from './boundary/host.ts';
import type { HostKeeper } from './boundary/keeper.ts';
import { reach } from './boundary/reach.ts';
import { RemoteHost } from './boundary/remote-host.ts';
import { HOSTING_IS_OFF, type HostSettings, hostSettingsOf } from './boundary/settings.ts';
import type { Targets } from './host/network/way-out.ts';
import { Folders } from './host/runner/folders.ts';
import { versionOf } from './launch/queries.ts';
import { ProgramOutput } from './output/program-output.ts';
import { type CompletePlan, isComplete, Plans } from './plans.ts';
import { RunningProgram } from './running-program.ts';
import { ProgramClaims } from './sharing/program-claims.ts';
import type { ServedPrograms } from './sharing/serve-programs.ts';
import { SharedPrograms } from './sharing/shared-programs.ts';

/** Interval of checks whether other replicas have changed the programs that run here. */
const LOOK_MILLISECONDS = 5000;
/** Pause after a failure of this server itself to prepare a start. */
const PAUSE_MILLISECONDS = 2000;

/** The states of a program that the host starts or runs. */
const IN_HOST: readonly HostReport['state'][] = ['starting', 'running'];

/** Keeps one host for several servers. */
export interface SharedHost extends HostKeeper {
  /** The name of the host with these settings among the hosts of the installation. */
  nameOf(settings: HostSettings): string;
}

/** Makes the host: one in a process of its own, unless a test replaces it. */
export type HostMaker = (settings: HostSettings, listener: HostListener) => Host;

interface HostingOptions {
  readonly config: Parameters<typeof hostSettingsOf>[0];
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly encryption: Encryption;
  readonly hub: Hub;
  /** The targets of programs, if this server decides about them. */
  readonly targets: Targets;
  readonly makeHost?: HostMaker | undefined;
  /** The host that several servers of this machine share, if there is one. */
  readonly sharedHost?: SharedHost | undefined;
  /** The other servers of the installation; absent if there can be none. */
  readonly peers?: Peers | undefined;
}

/** A hosted server that was used here. */
interface Server {
  program: Promise<RunningProgram> | undefined;
  running: RunningProgram | undefined;
  report: (Omit<HostReport, 'startedAt'> & Pick<ProcessReport, 'startedAt'>) | undefined;
  /** The report's time from which `startedAt` was computed. */
  startedAt?: number | null;
  /** Time of a failure here, before the host was asked. */
  failedAt?: number;
}

export class Hosting implements HostedServers, ServedPrograms {
  readonly #options: HostingOptions;
  readonly #folders: Folders;
  readonly #servers = new Map<string, Server>();
  readonly #programs = new Map<number, RunningProgram>();
  /** Runs that were left before this server knew that they had started. */
  readonly #leftEarly = new Set<number>();
  readonly #plans: Plans;
  readonly #output: ProgramOutput;
  #starting = 0;
  readonly #look: NodeJS.Timeout;
  readonly host: Host;
  readonly #hostName: string | null;
  /** Absent if this process is alone on the database. */
  readonly #shared: SharedPrograms | undefined;
  #closed = false;

  constructor(options: HostingOptions) {
    this.#options = options;
    this.#folders = new Folders(options.config.home);
    this.#plans = new Plans(options, this.#folders);
    this.#output = new ProgramOutput(options, (at) => this.#timeOf(at));
    this.#look = setInterval(
      guarded('a check of hosted servers', () => this.#lookAtAll()),
      LOOK_MILLISECONDS,
    ).unref();
    options.hub.hear('servers', ANY, (change, serverId) => this.#changed(serverId, change));
    const { sharedHost } = options;
    const settings = hostSettingsOf(options.config, sharedHost !== undefined);
    const make: HostMaker = options.makeHost ?? ((...given) => new RemoteHost(...given, sharedHost));
    this.host = make(settings, this.#listener());
    this.#hostName = sharedHost?.nameOf(settings) ?? options.peers?.id ?? null;
    if (this.#isOn && this.#folders.holdLeftovers()) this.host.wake();
    const { peers } = options;
    this.#shared =
      peers &&
      new SharedPrograms(peers, new ProgramClaims(this.#hostName ?? peers.id, options), {
        held: () => this.#held(),
        holdUntil: (until) => this.host.holdUntil(until),
        lost: (serverId) => this.#replace(serverId, 'another host runs it'),
      });
  }

  /** The name of the host among the hosts of the installation; null if this server runs no programs. */
  get name(): string | null {
    return this.#isOn ? this.#hostName : null;
  }

  get #isOn(): boolean {
    return this.#options.config.hosting !== 'off' && this.#options.config.hosting !== 'auto';
  }

  async upstreamOf(serverId: string): Promise<Upstream> {
    const elsewhere = await this.#elsewhere(serverId);
    return elsewhere ?? this.#upstreamHere(serverId);
  }

  async ownUpstreamOf(serverId: string): Promise<Upstream> {
    if (this.#runsHere(serverId) || (await this.claim(serverId))) return this.#upstreamHere(serverId);
    throw new UpstreamError('unavailable', 'Another server runs this program now. Try again.', 1);
  }

  async claim(serverId: string): Promise<boolean> {
    return this.#isOn && (await this.#plans.hasFiles(serverId)) && (await this.#shared?.claim(serverId)) === true;
  }

  async #elsewhere(serverId: string): Promise<Upstream | undefined> {
    if (!this.#shared || this.#runsHere(serverId)) return undefined;
    return this.#shared.elsewhere(serverId, async () => this.#isOn && (await this.#plans.hasFiles(serverId)));
  }

  #runsHere(serverId: string): boolean {
    return this.#servers.get(serverId)?.running?.isLeft === false && this.#shared?.isHeld !== false;
  }

  /** The servers whose programs may run here, also for another server that shares the host. */
  #held(): string[] {
    const starting = [...this.#servers].filter(([, { program }]) => program !== undefined).map(([id]) => id);
    const running = [...this.#programs.values()].map(({ serverId }) => serverId);
    const reported = [...this.#servers].filter(([, { report }]) => report && IN_HOST.includes(report.state));
    return [...new Set([...starting, ...running, ...reported.map(([id]) => id)])];
  }

  async #upstreamHere(serverId: string): Promise<Upstream> {
    if (this.#closed) throw new UpstreamError('unavailable', 'The server is being stopped.', 1);
    const server = this.#server(serverId);
    if (server.running?.isLeft) this.#drop(server);
    server.program ??= this.#begin(serverId, server);
    const program = await server.program;
    program.touch();
    return program;
  }

  async replaceOutdated(serverId: string): Promise<void> {
    const server = this.#servers.get(serverId);
    await server?.program?.catch(() => {});
    if (server?.running) await this.#lookAt(serverId, server.running.version);
    else await this.#shared?.replaceOutdated(serverId);
  }

  async tryBuild(
    serverId: string,
    { id, launch, resolved }: TriedBuild,
    owner: OutputOwner = { kind: 'server', id: serverId },
  ): Promise<string | undefined> {
    if (!this.#isOn) return HOSTING_IS_OFF;
    const found = await this.#plans.find(serverId);
    if (!found) return 'The server was deleted.';
    const plan = { ...found, deployment_id: found.deployment_id ?? '', build_id: id, launch, resolved } as CompletePlan;
    return this.host.try(await this.#plans.specOf(serverId, plan), owner);
  }

  report(serverId: string): ProcessReport {
    const server = this.#servers.get(serverId);
    if (!server?.report) return stopped;
    return { ...server.report, requestsUnderWay: server.running?.calls ?? 0 };
  }

  states(): HostedCounts {
    const reports = [...this.#servers.keys()].map((serverId) => this.report(serverId));
    const count = (state: ProcessReport['state']) => reports.filter((report) => report.state === state).length;
    return {
      servers: { starting: count('starting'), running: count('running'), waiting: count('waiting') },
      processes: reports.reduce((sum, { processes }) => sum + processes, 0),
    };
  }

  ownReports(): Readonly<Record<string, ProcessReport>> {
    const reports = [...this.#servers.keys()].map((serverId) => [serverId, this.report(serverId)] as const);
    return Object.fromEntries(reports.filter(([, { state, failures }]) => state !== 'stopped' || failures > 0));
  }

  async reports(): Promise<(serverId: string) => ProcessReport> {
    const others = (await this.#shared?.reports()) ?? {};
    return (serverId) => {
      const here = this.report(serverId);
      return here.state === 'stopped' ? (others[serverId] ?? here) : here;
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#look);
    const haveEnded = await this.host.close();
    await Promise.all([...this.#programs.values()].map((program) => program.end()));
    await this.#shared?.close(haveEnded);
  }

  #server(serverId: string): Server {
    const known = this.#servers.get(serverId);
    if (known) return known;
    const server: Server = { program: undefined, running: undefined, report: undefined };
    this.#servers.set(serverId, server);
    return server;
  }

  #begin(serverId: string, server: Server): Promise<RunningProgram> {
    const program = this.#start(serverId).then((started) => {
      if (server.program === program) server.running = started;
      return started;
    });
    program.catch(() => {
      if (server.program === program) this.#drop(server);
    });
    return program;
  }

  async #start(serverId: string): Promise<RunningProgram> {
    const { failedAt = Number.NEGATIVE_INFINITY } = this.#server(serverId);
    if (performance.now() - failedAt < PAUSE_MILLISECONDS) {
      throw new UpstreamError('unavailable', 'The server could not be started.', 1);
    }
    this.#starting++;
    try {
      return await this.#startLive(serverId);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      // The cause is the encryption key or the database, which users of the server cannot fix.
      this.#options.logger.error({ err: error, server: serverId }, 'a hosted server could not be started');
      this.#server(serverId).failedAt = performance.now();
      throw new UpstreamError('unavailable', 'The server could not be started.');
    } finally {
      if (--this.#starting === 0) this.#leftEarly.clear();
    }
  }

  async #startLive(serverId: string): Promise<RunningProgram> {
    const plan = await this.#plans.find(serverId);
    if (plan?.stopped_at)
      throw new UpstreamError('unavailable', 'The server was stopped. An editor of it can start it.');
    if (!isComplete(plan)) throw new UpstreamError('absent', 'The server has no live deployment.');
    if (!this.#isOn) throw new UpstreamError('unavailable', HOSTING_IS_OFF);
    const spec = await this.#plans.specOf(serverId, plan);
    const { generation, endpoint } = await this.host.use(spec);
    const reached =
      endpoint.over === 'stdio'
        ? {
            upstream: { send: (...given: Parameters<Upstream['send']>) => this.host.send(generation, ...given) },
            close: async () => {},
          }
        : await reach(endpoint, spec.connection);
    // The host has it from an earlier use, which this server has dropped.
    const known = this.#programs.get(generation);
    if (known && !known.isLeft) {
      await reached.close();
      return known;
    }
    const program = new RunningProgram({
      serverId,
      version: spec.version,
      ...reached,
      tell: (underWay) => this.host.tell(generation, underWay),
      ended: () => this.#programs.delete(generation),
    });
    this.#programs.set(generation, program);
    if (this.#leftEarly.has(generation)) program.leave();
    return program;
  }

  #listener(): HostListener {
    const { logger, targets } = this.#options;
    return {
      reported: (serverId, report) => {
        const server = this.#server(serverId);
        const { startedAt } = report;
        // A machine time is converted only once, because a second conversion could differ.
        const started =
          startedAt === server.startedAt ? server.report?.startedAt : startedAt && this.#timeOf(startedAt);
        server.startedAt = startedAt;
        server.report = { ...report, startedAt: started || null };
      },
      left: (generation) => {
        const program = this.#programs.get(generation);
        if (program) program.leave();
        else if (this.#starting > 0) this.#leftEarly.add(generation);
      },
      printed: (owner, lines) => this.#output.store(owner, lines),
      targets: () => targets.current(),
      faulted: (what, error) => logger.error({ err: error }, `${what} failed`),
      lost: () => this.#lost(),
    };
  }

  /** The host has ended, with all its programs. */
  #lost(): void {
    this.#options.logger.error('the host of programs has ended; the next use starts it again');
    for (const server of this.#servers.values()) {
      server.report = undefined;
      this.#drop(server);
    }
    for (const program of this.#programs.values()) program.lose();
  }

  #drop(server: Server): void {
    server.program = undefined;
    server.running = undefined;
  }

  #timeOf(machineMilliseconds: number): Timestamp {
    return addSeconds(this.#options.clock.now(), (machineMilliseconds - machineTime()) / 1000);
  }

  #changed(serverId: string, change: ServerChange): void {
    if (change === 'deleted') {
      const server = this.#servers.get(serverId);
      this.#servers.delete(serverId);
      if (server || existsSync(this.#folders.server(serverId))) {
        inBackground('the removal of a deleted hosted server', () => this.host.forget(serverId));
      }
    } else if (change === 'connection' || change === 'environment' || change === 'deployment') {
      this.#replaceUnlessCurrent(serverId, `its ${change} has changed`);
    } else if (change === 'stop') this.#replace(serverId, 'it was stopped by hand');
    else if (change === 'start') this.#replace(serverId, 'it was started by hand');
    else if (change === 'restart') this.#replace(serverId, 'it was restarted by hand');
  }

  #replace(serverId: string, reason: string): void {
    const server = this.#servers.get(serverId);
    if (!server) return;
    this.#drop(server);
    this.host.replace(serverId, reason);
  }

  /** The message about a change may arrive when a program runs that was started after it. */
  #replaceUnlessCurrent(serverId: string, reason: string): void {
    const server = this.#servers.get(serverId);
    if (!server?.program) {
      this.#replace(serverId, reason);
      return;
    }
    const { program } = server;
    this.#drop(server);
    inBackground('the replacement of a hosted server', async () => {
      const [known, plan] = [await program.catch(() => undefined), await this.#plans.find(serverId)];
      const isCurrent = known !== undefined && plan !== undefined && known.version === versionOf(plan);
      // If it was started again meanwhile, the host has replaced it.
      if (!isCurrent && server.program === undefined) this.host.replace(serverId, reason);
    });
  }

  /** Replaces programs that another replica has changed. */
  async #lookAtAll(): Promise<void> {
    for (const [serverId, { running }] of this.#servers) {
      if (!running || running.isLeft) continue;
      try {
        await this.#lookAt(serverId, running.version);
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'a hosted server could not be checked');
      }
    }
  }

  async #lookAt(serverId: string, running: string): Promise<void> {
    const plan = await this.#plans.find(serverId);
    if (!plan) this.#changed(serverId, 'deleted');
    else if (versionOf(plan) !== running) this.#replace(serverId, 'it was changed');
  }
}

const stopped: ProcessReport = {
  state: 'stopped',
  deploymentId: null,
  startedAt: null,
  processes: 0,
  memoryBytes: 0,
  requestsUnderWay: 0,
  failures: 0,
  lastFailure: null,
  retryAfterSeconds: 0,
};
