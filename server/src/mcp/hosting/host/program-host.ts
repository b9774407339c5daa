/** Runs foreign programs and builds, for all servers that use this host. */
import { BoundedMap } from '../../../values/bounded-map.ts';
import { attempt, guarded, inBackground } from '../../../watching/background.ts';
import type { OutputOwner } from '../../upstream/hosted-servers.ts';
import { type AnswerSink, type UpstreamCall, UpstreamError, type UpstreamRequest } from '../../upstream/upstream.ts';
import { BuildFailed } from '../boundary/build-failed.ts';
import {
  type BuildOrder,
  type BuildResult,
  type Host,
  type HostListener,
  type HostReport,
  machineTime,
  type PrintedLine,
  type ProgramSpec,
  type Use,
} from '../boundary/host.ts';
import { reach } from '../boundary/reach.ts';
import { HOSTING_IS_OFF, type HostSettings } from '../boundary/settings.ts';
import { secretsOf, type Variable } from '../launch/stored-launch.ts';
import { makeBuild } from './builds/make-build.ts';
import { BackOff } from './instances/back-off.ts';
import { type Holder, HostedServer, type Run, type Started } from './instances/hosted-server.ts';
import { startHttpInstance } from './instances/http-instance.ts';
import type { Instance, InstanceOptions } from './instances/instance.ts';
import { type LaunchParts, prepareLaunch } from './instances/launch.ts';
import { answersInitialize } from './instances/trial.ts';
import { OutputLog } from './output/output-log.ts';
import { Folders } from './runner/folders.ts';
import { Leftovers } from './runner/leftovers.ts';
import { makeRunner } from './runner/mode.ts';
import type { Runner } from './runner/runner.ts';
import { StdioInstance } from './stdio/stdio-instance.ts';

/** Interval at which the host reports the memory of programs to the servers. */
const REPORT_MILLISECONDS = 1000;
/** Seconds for a program's answer once it listens, and for its end afterwards. */
const ANSWER_SECONDS = 20;
const TRIAL_STOP_SECONDS = 2;
/** Time in which servers that share the host hear of a change. */
const SAME_CHANGE_MILLISECONDS = 3000;
const MOST_REPLACEMENTS = 10_000;
const NOT_HELD = 'the database could not be reached, so another host may run it';

export class ProgramHost {
  readonly #settings: HostSettings;
  readonly #elapsed: () => number;
  readonly #folders: Folders;
  readonly #leftovers: Leftovers;
  readonly #runner: Runner | undefined;
  readonly #servers = new Map<string, HostedServer>();
  readonly #runs = new Map<number, Run>();
  readonly #users = new Set<ProgramUser>();
  readonly #told = new Map<string, string>();
  readonly #reports: NodeJS.Timeout;
  /** The time at which all programs end; undefined if they may go on. */
  #heldUntil: number | undefined;
  #holding: NodeJS.Timeout | undefined;
  /** Number of taken places for builds. */
  #builds = 0;
  #isClosed = false;
  readonly #replacements = new Replacements();

  /** `elapsed` is the clock, in milliseconds, by which pauses and rates are measured. */
  constructor(settings: HostSettings, elapsed: () => number = machineTime) {
    this.#settings = settings;
    this.#elapsed = elapsed;
    this.#folders = new Folders(settings.home);
    this.#leftovers = new Leftovers(this.#folders, (what, error) => this.fault(what, error));
    this.#runner = makeRunner(settings, { current: () => this.targets() });
    if (this.#runner) inBackground('the removal of folders of earlier runs', () => this.#leftovers.sweep());
    this.#reports = setInterval(
      guarded('the reports of hosted servers', () => {
        for (const serverId of this.#servers.keys()) this.#report(serverId);
      }),
      REPORT_MILLISECONDS,
    ).unref();
  }

  /** Connects a server that uses this host from now on. */
  connect(listener: HostListener): ProgramUser {
    const user = new ProgramUser(listener, this);
    this.#users.add(user);
    return user;
  }

  get isUsed(): boolean {
    return this.#users.size > 0;
  }

  /** True once its programs were ended for good. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends all programs and builds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#reports);
    clearTimeout(this.#holding);
    const closing = [...this.#servers.values()].map((server) =>
      attempt('the end of a hosted server', () => server.close('this server stops')),
    );
    await Promise.all(closing);
    await this.#runner?.close();
  }

  async disconnect(user: ProgramUser, ends: boolean): Promise<void> {
    this.#users.delete(user);
    for (const server of this.#servers.values()) server.leave(user);
    if (ends || (this.#users.size === 0 && !this.#settings.outlivesServers)) await this.close();
  }

  /**
   * Asks any server for the targets to which programs may connect. Rejects while there is no server: then none is
   * allowed.
   */
  targets(): ReturnType<HostListener['targets']> {
    const [user] = this.#users;
    if (!user) return Promise.reject(new Error('No server uses this host.'));
    return user.listener.targets();
  }

  fault(what: string, error: unknown): void {
    const [user] = this.#users;
    user?.listener.faulted(what, error);
  }

  use(spec: ProgramSpec, user: ProgramUser): Promise<Use> {
    let server = this.#servers.get(spec.serverId);
    if (!server) {
      server = new HostedServer({
        elapsed: this.#elapsed,
        start: (started, backOff, signal) => this.#start(started, backOff, signal),
        runs: this.#runs,
        changed: () => this.#report(spec.serverId),
        failed: (error) => this.fault('the end of a hosted server', error),
      });
      this.#servers.set(spec.serverId, server);
    }
    return server.use(spec, user);
  }

  /** All programs end at this time, see `machineTime`, unless a server moves it on. */
  holdUntil(until: number): void {
    if (this.#heldUntil !== undefined && until <= this.#heldUntil) return;
    this.#heldUntil = until;
    clearTimeout(this.#holding);
    this.#holding = setTimeout(
      guarded('the end of programs that another host may run', () => this.#endAll()),
      Math.max(0, until - machineTime()),
    ).unref();
  }

  #endAll(): void {
    for (const server of this.#servers.values()) {
      inBackground('the end of a hosted server', () => server.stopAll(NOT_HELD));
    }
  }

  run(generation: number): Run | undefined {
    return this.#runs.get(generation);
  }

  replace(serverId: string, reason: string, user: ProgramUser): void {
    if (this.#replacements.isNew(serverId, reason, user, this.#elapsed())) this.#servers.get(serverId)?.replace(reason);
  }

  async forget(serverId: string): Promise<void> {
    const server = this.#servers.get(serverId);
    this.#servers.delete(serverId);
    this.#told.delete(serverId);
    await server?.close('the server was deleted');
    await this.#leftovers.remove(this.#folders.server(serverId));
  }

  async try(spec: ProgramSpec, owner: OutputOwner, user: ProgramUser): Promise<string | undefined> {
    const parts = this.#parts();
    if (!parts) return HOSTING_IS_OFF;
    const log = this.#logOf(owner, spec.variables, user);
    const launch = await prepareLaunch(parts, spec);
    const { connection } = launch;
    const backOff = new BackOff(this.#elapsed);
    let instance: Instance | undefined;
    try {
      log.say('The program is started for a trial.');
      instance = await begin({ launch, log, backOff, signal: new AbortController().signal, changed() {} });
      await answers(instance, connection);
      return undefined;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      await instance?.stop(0, 'it did not answer');
      const printed = log.lastLines;
      return printed === '' ? error.message : `${error.message} It printed:\n${printed}`;
    } finally {
      await instance?.stop(TRIAL_STOP_SECONDS, 'its trial has ended');
      await log.close();
      await launch.cleared();
    }
  }

  takeBuildPlace(): boolean {
    if (this.#builds >= this.#settings.hostingCeilings.builds) return false;
    this.#builds++;
    return true;
  }

  giveBuildPlaceBack(): void {
    this.#builds--;
  }

  async build(order: BuildOrder, signal: AbortSignal, user: ProgramUser): Promise<BuildResult> {
    const parts = this.#parts();
    if (!parts) throw new BuildFailed(HOSTING_IS_OFF);
    const log = this.#logOf({ kind: 'build', id: order.id }, order.variables, user);
    try {
      return await makeBuild(order, {
        ...{ ...parts, log, signal },
        ceilings: this.#settings.hostingCeilings,
        targets: () => this.targets(),
      });
    } finally {
      await log.close();
    }
  }

  async removeBuilds(serverId: string, buildIds: readonly string[]): Promise<void> {
    for (const id of buildIds) await this.#leftovers.remove(this.#folders.artifact(serverId, id));
  }

  async removeUploads(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#leftovers.remove(this.#folders.upload(id));
  }

  #parts(): LaunchParts | undefined {
    const { files: maxFiles } = this.#settings.hostingCeilings;
    return this.#runner && { folders: this.#folders, leftovers: this.#leftovers, runner: this.#runner, maxFiles };
  }

  async #start(spec: ProgramSpec, backOff: BackOff, signal: AbortSignal): Promise<Started> {
    try {
      return await this.#startProgram(spec, backOff, signal);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      // The cause is, for example, the disk: a user of the server cannot fix it.
      this.fault('the start of a hosted server', error);
      backOff.failed('The server could not be started.', 0);
      throw new UpstreamError('unavailable', 'The server could not be started.');
    }
  }

  async #startProgram(spec: ProgramSpec, backOff: BackOff, signal: AbortSignal): Promise<Started> {
    const parts = this.#parts();
    if (!parts) throw new UpstreamError('unavailable', HOSTING_IS_OFF);
    const log = this.#logOf({ kind: 'server', id: spec.serverId }, spec.variables);
    const launch = await prepareLaunch(parts, spec);
    const release = async () => {
      await log.close();
      await launch.cleared();
    };
    const began = performance.now();
    try {
      const changed = () => this.#report(spec.serverId);
      const instance = await begin({ launch, log, backOff, signal, changed });
      log.say(`The server has started (deployment ${spec.deploymentId}).`);
      return { instance, idleSeconds: spec.connection.idleSeconds, release, say: (message) => log.say(message) };
    } catch (error) {
      const reason = error instanceof UpstreamError ? error.message : 'The server did not start.';
      backOff.failed(reason, (performance.now() - began) / 1000);
      log.say(reason);
      await release();
      throw error;
    }
  }

  /** `user` stores the lines while it is connected, else any other: one after the other, so that they stay in order. */
  #logOf(owner: OutputOwner, variables: readonly Variable[], user?: ProgramUser): OutputLog {
    let storing = user;
    const store = async (lines: readonly PrintedLine[]) => {
      if (!storing || !this.#users.has(storing)) [storing] = this.#users;
      await storing?.listener.printed(owner, lines);
    };
    return new OutputLog({ elapsed: this.#elapsed, secrets: secretsOf(variables), store });
  }

  /** Reports the state of a server to all servers, if it has changed. */
  #report(serverId: string): void {
    const server = this.#servers.get(serverId);
    if (!server) return;
    const report = server.report();
    const text = JSON.stringify(report);
    if (this.#told.get(serverId) === text) return;
    this.#told.set(serverId, text);
    for (const { listener } of this.#users) listener.reported(serverId, report);
  }

  /** The reports for a server that has just connected. */
  reports(): Map<string, HostReport> {
    return new Map([...this.#servers].map(([serverId, server]) => [serverId, server.report()]));
  }
}

/** Several servers report the same change, one after the other: only the first report replaces a program. */
class Replacements {
  readonly #last = new BoundedMap<string, Replacement>({ name: 'replaced programs', most: MOST_REPLACEMENTS });

  isNew(serverId: string, reason: string, user: object, at: number): boolean {
    const last = this.#last.get(serverId);
    if (last?.reason === reason && at - last.at < SAME_CHANGE_MILLISECONDS && !last.users.has(user)) {
      last.users.add(user);
      return false;
    }
    this.#last.set(serverId, { reason, at, users: new Set([user]) });
    return true;
  }
}

interface Replacement {
  readonly reason: string;
  readonly at: number;
  /** The servers that have reported it. */
  readonly users: Set<object>;
}

/** A server that uses the host. */
export class ProgramUser implements Host, Holder {
  readonly listener: HostListener;
  readonly #host: ProgramHost;
  /** Number of places for builds that it has taken. */
  #places = 0;

  constructor(listener: HostListener, host: ProgramHost) {
    this.listener = listener;
    this.#host = host;
    for (const [serverId, report] of host.reports()) listener.reported(serverId, report);
  }

  wake(): void {
    // The server is already awake.
  }

  left(generation: number): void {
    this.listener.left(generation);
  }

  use(spec: ProgramSpec): Promise<Use> {
    return this.#host.use(spec, this);
  }

  holdUntil(until: number): void {
    this.#host.holdUntil(until);
  }

  tell(generation: number, underWay: number): void {
    this.#host.run(generation)?.tell(this, underWay);
  }

  send(generation: number, request: UpstreamRequest, sink: AnswerSink): UpstreamCall {
    const upstream = this.#host.run(generation)?.upstream;
    if (upstream) return upstream.send(request, sink);
    queueMicrotask(
      guarded('the end of a request', () => sink.fail(new UpstreamError('connection', 'The server has ended.'))),
    );
    return { abort() {}, resume() {} };
  }

  replace(serverId: string, reason: string): void {
    this.#host.replace(serverId, reason, this);
  }

  forget(serverId: string): Promise<void> {
    return this.#host.forget(serverId);
  }

  try(spec: ProgramSpec, owner: OutputOwner): Promise<string | undefined> {
    return this.#host.try(spec, owner, this);
  }

  async takeBuildPlace(): Promise<boolean> {
    const taken = this.#host.takeBuildPlace();
    if (taken) this.#places++;
    return taken;
  }

  giveBuildPlaceBack(): void {
    if (this.#places === 0) return;
    this.#places--;
    this.#host.giveBuildPlaceBack();
  }

  build(order: BuildOrder, signal: AbortSignal): Promise<BuildResult> {
    return this.#host.build(order, signal, this);
  }

  removeBuilds(serverId: string, buildIds: readonly string[]): Promise<void> {
    return this.#host.removeBuilds(serverId, buildIds);
  }

  removeUploads(ids: readonly string[]): Promise<void> {
    return this.#host.removeUploads(ids);
  }

  /** `ends` is true if the programs end with this server, whatever the host would do otherwise. */
  async close(ends = false): Promise<boolean> {
    while (this.#places > 0) this.giveBuildPlaceBack();
    await attempt('the end of a use of the host', () => this.#host.disconnect(this, ends));
    return this.#host.isClosed;
  }
}

function begin(options: InstanceOptions): Promise<Instance> | Instance {
  return options.launch.connection.transport === 'http' ? startHttpInstance(options) : new StdioInstance(options);
}

/** Throws UpstreamError when it is not an MCP server. */
async function answers({ endpoint, upstream }: Instance, connection: ProgramSpec['connection']): Promise<void> {
  const seconds = connection.startSeconds + ANSWER_SECONDS;
  if (endpoint.over === 'stdio') {
    if (upstream) await answersInitialize(upstream, seconds);
    return;
  }
  const reached = await reach(endpoint, connection);
  await answersInitialize(reached.upstream, seconds).finally(() => reached.close());
}
