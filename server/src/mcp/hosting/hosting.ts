/** The hosted servers of this process: which run, and that they run what is live. */
import { guarded, inBackground } from '../../background.ts';
import type { Config } from '../../config.ts';
import type { Store } from '../../database/store.ts';
import type { Logger } from '../../logger.ts';
import type { Encryption } from '../../secrets/encryption.ts';
import type { ServerActivity, ServerChange, ServerChanges } from '../../server-changes.ts';
import type { Clock } from '../../time.ts';
import type { HostedCounts, HostedServers, ProcessReport, TrialLog, TriedBuild } from '../upstream/hosted-servers.ts';
import { type Upstream, UpstreamError } from '../upstream/upstream.ts';
import { BackOff } from './instances/back-off.ts';
import { HostedServer, type Started } from './instances/hosted-server.ts';
import { startHttpInstance } from './instances/http-instance.ts';
import type { Instance } from './instances/instance.ts';
import { answersInitialize } from './instances/trial.ts';
import { prepareLaunch, readVariables, type Variable } from './launch/launch.ts';
import { findPlan, listVariables, type PlanRow, trimProcessLogs, versionOf } from './launch/queries.ts';
import type { Targets } from './network/way-out.ts';
import { OutputLog, type PrintedLine } from './output/output-log.ts';
import { processOutput } from './output/stored-output.ts';
import { Folders } from './runner/folders.ts';
import { Leftovers } from './runner/leftovers.ts';
import { makeRunner } from './runner/mode.ts';
import type { Runner } from './runner/runner.ts';
import { StdioInstance } from './stdio/stdio-instance.ts';

/** How often it looks whether other replicas have changed what runs here. */
const LOOK_MILLISECONDS = 5000;
/** Lines of output that are kept for a server, and after how many new ones the oldest are deleted. */
const KEPT_LINES = 20_000;
const TRIM_EVERY = 1000;
/** The time that a program has for its answer once it listens, and to end afterwards. */
const ANSWER_SECONDS = 20;
const TRIAL_STOP_SECONDS = 2;

export interface HostingOptions {
  readonly config: Pick<Config, 'home' | 'databaseUrl' | 'hosting' | 'hostingNetwork'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly encryption: Encryption;
  readonly serverChanges: ServerChanges;
  readonly serverActivity: ServerActivity;
  /** Where programs may connect to, where this server decides about it. */
  readonly targets: Targets;
}

export class Hosting implements HostedServers {
  readonly #options: HostingOptions;
  readonly #folders: Folders;
  readonly #leftovers: Leftovers;
  readonly #servers = new Map<string, HostedServer>();
  readonly #written = new Map<string, number>();
  #runner: Runner | undefined;
  readonly #look: NodeJS.Timeout;
  #closed = false;

  constructor(options: HostingOptions) {
    this.#options = options;
    this.#folders = new Folders(options.config.home);
    this.#leftovers = new Leftovers(this.#folders, options.logger);
    this.#look = setInterval(
      guarded('a look at hosted servers', () => this.#lookAtAll()),
      LOOK_MILLISECONDS,
    ).unref();
    options.serverChanges.listen((serverId, change) => this.#changed(serverId, change));
    this.#runner = makeRunner(options.config, options.targets);
    if (this.#runner) inBackground('the removal of folders of earlier runs', () => this.#leftovers.sweep());
  }

  async upstreamOf(serverId: string): Promise<Upstream> {
    if (this.#closed) throw new UpstreamError('unavailable', 'The server is being stopped.', 1);
    let server = this.#servers.get(serverId);
    if (!server) {
      const { clock, logger } = this.#options;
      server = new HostedServer({ clock, logger, start: (backOff, signal) => this.#start(serverId, backOff, signal) });
      this.#servers.set(serverId, server);
    }
    return server.upstream();
  }

  async replaceOutdated(serverId: string): Promise<void> {
    const server = this.#servers.get(serverId);
    if (server) await this.#lookAt(serverId, server, await server.startedVersion());
  }

  async tryBuild(
    serverId: string,
    { id, launch: stored, resolved }: TriedBuild,
    given?: TrialLog,
  ): Promise<string | undefined> {
    const runner = this.#runner;
    if (!runner) return 'Hosting is off on this server (SIGNALBOX_HOSTING).';
    const found = await this.#plan(serverId);
    if (!found) return 'The server is gone.';
    const plan = { ...found, build_id: id, launch: stored, resolved: resolved as PlanRow['resolved'] } as CompletePlan;
    const rows = await this.#options.store.platform.reads().all(listVariables, { server_id: serverId });
    const variables = readVariables(this.#options.encryption, rows);
    const own = given ? undefined : this.#logOf(serverId, variables);
    const log = (given ?? own) as TrialLog;
    const parts = { folders: this.#folders, leftovers: this.#leftovers, runner };
    const launch = await prepareLaunch(parts, serverId, plan, variables);
    const { connection } = launch;
    const options = {
      launch,
      log,
      backOff: new BackOff(() => this.#options.clock.elapsed()),
      signal: new AbortController().signal,
    };
    let instance: Instance | undefined;
    try {
      log.say('The program is started to see whether it answers.');
      instance = connection.transport === 'http' ? await startHttpInstance(options) : new StdioInstance(options);
      await answersInitialize(instance.upstream, connection.startSeconds + ANSWER_SECONDS);
      return undefined;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      await instance?.stop(0, 'it did not answer');
      const printed = log.lastLines;
      return printed === '' ? error.message : `${error.message} It printed:\n${printed}`;
    } finally {
      await instance?.stop(TRIAL_STOP_SECONDS, 'it has been tried');
      await own?.close();
      await launch.cleared();
    }
  }

  report(serverId: string): ProcessReport {
    return this.#servers.get(serverId)?.report() ?? stopped;
  }

  states(): HostedCounts {
    const reports = [...this.#servers.values()].map((server) => server.report());
    const count = (state: ProcessReport['state']) => reports.filter((report) => report.state === state).length;
    return {
      servers: { starting: count('starting'), running: count('running'), waiting: count('waiting') },
      processes: reports.reduce((sum, { processes }) => sum + processes, 0),
    };
  }

  restart(serverId: string): void {
    this.#servers.get(serverId)?.replace('it was restarted by hand');
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#look);
    await Promise.all([...this.#servers.values()].map((server) => server.close('this server stops')));
    await this.#runner?.close();
  }

  async #start(serverId: string, backOff: BackOff, signal: AbortSignal): Promise<Started> {
    try {
      return await this.#startLive(serverId, backOff, signal);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      // The disk, the encryption key or the database: a user of the server cannot fix these.
      this.#options.logger.error({ err: error, server: serverId }, 'a hosted server could not be started');
      backOff.failed('The server could not be started.', 0);
      throw new UpstreamError('unavailable', 'The server could not be started.');
    }
  }

  async #startLive(serverId: string, backOff: BackOff, signal: AbortSignal): Promise<Started> {
    const { store } = this.#options;
    const plan = await this.#plan(serverId);
    if (plan?.stopped_at)
      throw new UpstreamError('unavailable', 'The server was stopped. An editor of it can start it.');
    if (!isComplete(plan)) throw new UpstreamError('absent', 'The server has no live deployment.');
    const runner = this.#runner;
    if (!runner) throw new UpstreamError('unavailable', 'Hosting is off on this server (SIGNALBOX_HOSTING).');
    const rows = await store.platform.reads().all(listVariables, { server_id: serverId });
    const variables = readVariables(this.#options.encryption, rows);
    const log = this.#logOf(serverId, variables);
    const parts = { folders: this.#folders, leftovers: this.#leftovers, runner };
    const launch = await prepareLaunch(parts, serverId, plan, variables);
    const release = async () => {
      await log.close();
      await launch.cleared();
    };
    const began = performance.now();
    try {
      const options = { launch, log, backOff, signal };
      const overHttp = launch.connection.transport === 'http';
      const instance = overHttp ? await startHttpInstance(options) : new StdioInstance(options);
      log.say(`The server has started (deployment ${plan.deployment_id}).`);
      return {
        instance,
        deploymentId: plan.deployment_id,
        version: versionOf(plan),
        idleSeconds: launch.connection.idleSeconds,
        release,
        say: (message) => log.say(message),
      };
    } catch (error) {
      const reason = error instanceof UpstreamError ? error.message : 'The server did not start.';
      backOff.failed(reason, (performance.now() - began) / 1000);
      log.say(reason);
      await release();
      throw error;
    }
  }

  #plan(serverId: string): Promise<PlanRow | undefined> {
    return this.#options.store.platform.reads().first(findPlan, { id: serverId });
  }

  #logOf(serverId: string, variables: readonly Variable[]): OutputLog {
    const { clock, logger } = this.#options;
    const secrets = variables.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    return new OutputLog({ clock, logger, secrets, store: (lines) => this.#store(serverId, lines) });
  }

  async #store(serverId: string, lines: readonly PrintedLine[]): Promise<void> {
    const written = (this.#written.get(serverId) ?? TRIM_EVERY) + lines.length;
    const trim = written >= TRIM_EVERY;
    this.#written.set(serverId, trim ? 0 : written);
    await this.#options.store.platform.transaction(async (tx) => {
      await processOutput.insert(tx, serverId, lines);
      if (trim) await tx.run(trimProcessLogs, { server_id: serverId, kept: KEPT_LINES });
    });
    this.#options.serverActivity.publish(serverId, 'server_output');
  }

  #changed(serverId: string, change: ServerChange): void {
    const server = this.#servers.get(serverId);
    if (change === 'deleted') {
      this.#servers.delete(serverId);
      inBackground('the removal of a deleted hosted server', () => this.#remove(serverId, server));
    } else if (!server) return;
    else if (change === 'connection' || change === 'environment' || change === 'deployment') {
      server.replace(`its ${change} has changed`);
    } else if (change === 'stop') server.replace('it was stopped by hand');
    else if (change === 'start') server.replace('it was started by hand');
  }

  async #remove(serverId: string, server: HostedServer | undefined): Promise<void> {
    await server?.close('the server was deleted');
    await this.#leftovers.remove(this.#folders.server(serverId));
  }

  /** Replaces what another replica has changed. */
  async #lookAtAll(): Promise<void> {
    for (const [serverId, server] of this.#servers) {
      try {
        await this.#lookAt(serverId, server, server.runningVersion);
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'a hosted server could not be looked at');
      }
    }
  }

  async #lookAt(serverId: string, server: HostedServer, running: string | undefined): Promise<void> {
    if (running === undefined) return;
    const plan = await this.#plan(serverId);
    if (!plan) this.#changed(serverId, 'deleted');
    else if (versionOf(plan) !== running) server.replace('it was changed');
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

type CompletePlan = PlanRow & { deployment_id: string; build_id: string; launch: string };

function isComplete(plan: PlanRow | undefined): plan is CompletePlan {
  return plan !== undefined && plan.deployment_id !== null && plan.build_id !== null && plan.launch !== null;
}
