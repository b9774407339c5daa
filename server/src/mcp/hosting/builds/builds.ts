/**
 * The builds of this process. They run beside the passes of the service. A claim, renewed while a build runs, makes
 * exactly one replica run it; a build whose replica died is marked as failed.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { guarded } from '../../../background.ts';
import type { Config } from '../../../config.ts';
import type { Store } from '../../../database/store.ts';
import type { TargetPolicies } from '../../../identity/target-policy.ts';
import { jsonTextOf } from '../../../json.ts';
import type { Logger } from '../../../logger.ts';
import { DecryptionFailed, type Encryption } from '../../../secrets/encryption.ts';
import type { ServerActivity, ServerChanges } from '../../../server-changes.ts';
import { type BuildTold, builds } from '../../../telemetry.ts';
import { addSeconds, type Clock, secondsBetween, type Timestamp } from '../../../time.ts';
import type { WakeUps } from '../../../wake-ups.ts';
import type { HostedServers } from '../../upstream/hosted-servers.ts';
import { promote } from '../launch/deployments.ts';
import type { StoredLaunch, Variable } from '../launch/launch.ts';
import type { BuildSource, Resolved } from '../launch/source.ts';
import { OutputLog, type PrintedLine } from '../output/output-log.ts';
import { buildOutput } from '../output/stored-output.ts';
import { Folders } from '../runner/folders.ts';
import { Leftovers } from '../runner/leftovers.ts';
import { makeRunner } from '../runner/mode.ts';
import { handOver } from '../runner/program-user.ts';
import { removeAll } from '../runner/removal.ts';
import type { Runner } from '../runner/runner.ts';
import { BuildFailed } from './build-failed.ts';
import { fetchSource } from './fetch-source.ts';
import { buildPackage } from './packages.ts';
import {
  type BuildRow,
  claimBuild,
  deleteBuild,
  deleteOldUploads,
  endBuild,
  failLost,
  giveBack,
  listOldBuilds,
  renewClaim,
} from './queries.ts';
import { buildRuntime } from './runtime.ts';
import { Steps } from './steps.ts';

const MAX_UNDER_WAY = 2;
const LIMIT_SECONDS = 900;
export const CLAIM_SECONDS = 60;
const RENEW_MILLISECONDS = 2000;
/** Builds that are kept for a server beside the live one, to go back to. */
const KEPT_BUILDS = 20;
/** An upload is there to be built soon after. */
const UPLOADS_KEPT_SECONDS = 86_400;
const TIDY_SECONDS = 3600;

type Ending = 'canceled' | 'stopping' | 'lost' | 'limit';

interface Result {
  readonly launch: StoredLaunch;
  readonly resolved: Resolved;
}

/** The parts of the process that builds work with. */
interface BuildsParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly encryption: Encryption;
  readonly targets: TargetPolicies;
  readonly hosting: HostedServers;
  readonly serverChanges: ServerChanges;
  readonly serverActivity: ServerActivity;
  readonly wakeUps: WakeUps;
}

export class Builds {
  readonly #parts: BuildsParts;
  readonly #folders: Folders;
  readonly #leftovers: Leftovers;
  readonly #underWay = new Map<Promise<void>, AbortController>();
  #runner: Runner | undefined;
  #stopping = false;
  #tidied: Timestamp | undefined;

  constructor(parts: BuildsParts) {
    this.#parts = parts;
    this.#folders = new Folders(parts.config.home);
    this.#leftovers = new Leftovers(this.#folders, parts.logger);
  }

  /** Begins what waits, as far as there is room. True when more waits. */
  async begin(): Promise<boolean> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    await store.platform.transaction((tx) =>
      tx.run(failLost, { now, error: 'The Signalbox server that ran this build has stopped.' }),
    );
    await this.#tidy(now);
    while (this.#underWay.size < MAX_UNDER_WAY && !this.#stopping) {
      const row = await store.platform.transaction((tx) =>
        tx.first(claimBuild, { now: clock.now(), until: addSeconds(clock.now(), CLAIM_SECONDS) }),
      );
      if (!row) return false;
      this.#parts.serverActivity.publish(row.server_id, 'server_build');
      const ending = new AbortController();
      const ended = this.#build(row, ending)
        .catch((error: unknown) => this.#parts.logger.error({ err: error, build: row.id }, 'a build broke off'))
        .finally(() => {
          this.#underWay.delete(ended);
          if (!this.#stopping) this.#parts.wakeUps.wakeServer('builds');
        });
      this.#underWay.set(ended, ending);
    }
    return false;
  }

  /** Forgets uploads that are old. */
  async #tidy(now: Timestamp): Promise<void> {
    if (this.#tidied !== undefined && secondsBetween(this.#tidied, now) < TIDY_SECONDS) return;
    this.#tidied = now;
    const before = addSeconds(now, -UPLOADS_KEPT_SECONDS);
    const old = await this.#parts.store.platform.transaction((tx) => tx.all(deleteOldUploads, { before }));
    for (const { id } of old) await this.#leftovers.remove(this.#folders.upload(id));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.keys());
  }

  /** Gives back what is under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const ending of this.#underWay.values()) ending.abort('stopping' satisfies Ending);
    await this.settled();
    await this.#runner?.close();
  }

  async #build(row: BuildRow, ending: AbortController): Promise<void> {
    const { clock, logger } = this.#parts;
    const artifact = this.#folders.artifact(row.server_id, row.id);
    const variables = this.#variablesOf(row);
    if (!variables) {
      await this.#end(row, { state: 'failed', error: 'The encryption key cannot decrypt the variables.' });
      return;
    }
    const secrets = variables.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    const log = new OutputLog({ clock, logger, secrets, store: (lines) => this.#store(row, lines) });
    const limit = setTimeout(() => ending.abort('limit' satisfies Ending), LIMIT_SECONDS * 1000);
    const began = builds.begin();
    let outcome: BuildTold['outcome'] = 'failed';
    const renewal = setInterval(
      guarded('the renewal of a claim', () => this.#renew(row.id, ending)),
      RENEW_MILLISECONDS,
    );
    let replaced: readonly Pick<BuildRow, 'id'>[] = [];
    try {
      const result = await this.#make(row, artifact, variables, log, ending.signal);
      if (row.promote) await this.#prove(row, result, log, ending.signal);
      log.say('The build has succeeded.');
      await log.close();
      replaced = await this.#succeed(row, result);
      outcome = 'succeeded';
    } catch (error) {
      const reason = ending.signal.aborted ? (ending.signal.reason as Ending) : undefined;
      if (reason === 'canceled') outcome = 'canceled';
      else if (reason === 'stopping' || reason === 'lost') outcome = 'interrupted';
      await this.#fail(row, error, reason, log);
    } finally {
      clearTimeout(limit);
      clearInterval(renewal);
      builds.tell(began, { outcome });
      await log.close();
    }
    // The build stands from here on: what fails now is logged, and undoes nothing.
    for (const { id } of replaced) await this.#leftovers.remove(this.#folders.artifact(row.server_id, id));
  }

  async #fail(row: BuildRow, error: unknown, reason: Ending | undefined, log: OutputLog): Promise<void> {
    const { store, logger } = this.#parts;
    const told = problemOf(error, reason);
    const message = told ?? 'Something went wrong here.';
    if (reason === 'stopping') {
      await store.platform.transaction((tx) => tx.run(giveBack, { id: row.id }));
    } else if (reason !== 'lost') {
      if (told === undefined) logger.error({ err: error, build: row.id }, 'a build failed');
      log.say(message);
      await log.close();
      const isEnded = await this.#end(row, { state: reason === 'canceled' ? 'canceled' : 'failed', error: message });
      // Its commit was made, and only the answer of the database was lost.
      if (!isEnded) return;
    }
    await this.#leftovers.remove(this.#folders.artifact(row.server_id, row.id));
  }

  async #make(
    row: BuildRow,
    artifact: string,
    variables: readonly Variable[],
    log: OutputLog,
    signal: AbortSignal,
  ): Promise<Result> {
    const source = JSON.parse(row.source) as BuildSource;
    if (source.kind === 'command') {
      log.say('A command needs no build.');
      const directory = source.workingDirectory === null ? 'empty' : { path: source.workingDirectory };
      return { launch: { command: source.command, directory, shared: [], environment: {} }, resolved: {} };
    }
    const folder = join(artifact, 'source');
    const home = join(artifact, 'home');
    await removeAll(artifact);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Each is a mount of its own in a sandbox, so that none can be replaced by a link.
    const writable = [folder, join(artifact, 'venv'), home];
    for (const path of writable.slice(1)) await mkdir(path, { mode: 0o700 });
    this.#runner ??= makeRunner(this.#parts.config, this.#parts.targets);
    if (!this.#runner) throw new BuildFailed('Hosting is off on this server (SIGNALBOX_HOSTING).');
    const given = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
    const user = this.#runner.userOf(row.server_id);
    await handOver(artifact, user);
    const steps = new Steps({
      runner: this.#runner,
      serverId: row.server_id,
      log,
      signal,
      home,
      writable,
      variables: given,
    });
    const fetched = await fetchSource(source, {
      steps,
      folder,
      targets: await this.#parts.targets.current(),
      signal,
      uploadPath: (id) => this.#folders.upload(id),
    });
    // What this server itself has written. No step runs now.
    await handOver(folder, user);
    const { entrypoint, dependency_path: dependencyPath } = row;
    const { launch, runtime } =
      source.kind === 'package'
        ? await buildPackage(steps, artifact, source)
        : await buildRuntime({ steps, artifact, entrypoint, dependencyPath });
    signal.throwIfAborted();
    await this.#leftovers.remove(home);
    return { launch, resolved: { ...fetched, runtime } };
  }

  /** A build must start and answer before it goes live; until then the live one stays. Throws BuildFailed. */
  async #prove(row: BuildRow, { launch, resolved }: Result, log: OutputLog, signal: AbortSignal): Promise<void> {
    const build = { id: row.id, launch: jsonTextOf(launch), resolved: jsonTextOf(resolved) };
    const problem = await this.#parts.hosting.tryBuild(row.server_id, build, log);
    signal.throwIfAborted();
    if (problem !== undefined) throw new BuildFailed(`The build was not deployed. ${problem}`);
  }

  /**
   * Resolves with the builds that it replaced, whose folders are to be removed. A failed build never gets here, so it does
   * not change the live one.
   */
  #succeed(row: BuildRow, { launch, resolved }: Result): Promise<readonly Pick<BuildRow, 'id'>[]> {
    const { store, clock, serverActivity, serverChanges, wakeUps } = this.#parts;
    const now = clock.now();
    return store.platform.transaction(async (tx) => {
      const ended = await tx.first(endBuild, {
        id: row.id,
        state: 'succeeded',
        now,
        error: null,
        launch: jsonTextOf(launch),
        resolved: jsonTextOf(resolved),
      });
      tx.afterCommit(() => serverActivity.publish(row.server_id, 'server_build'));
      if (!ended) return [];
      if (row.promote) {
        await promote(tx, { serverId: row.server_id, buildId: row.id, actorName: row.actor_name, now });
        tx.afterCommit(() => {
          serverChanges.publish(row.server_id, 'deployment');
          wakeUps.wakeServer('manifests');
        });
      }
      const found = await tx.all(listOldBuilds, { server_id: row.server_id, kept: KEPT_BUILDS });
      for (const { id } of found) await tx.run(deleteBuild, { id });
      return found;
    });
  }

  /** False when it has ended before. */
  async #end(row: BuildRow, end: { state: 'failed' | 'canceled'; error: string }): Promise<boolean> {
    const now = this.#parts.clock.now();
    const ended = await this.#parts.store.platform.transaction((tx) =>
      tx.first(endBuild, { id: row.id, now, launch: null, resolved: null, ...end }),
    );
    this.#parts.serverActivity.publish(row.server_id, 'server_build');
    return ended !== undefined;
  }

  async #renew(id: string, ending: AbortController): Promise<void> {
    const { store, clock, logger } = this.#parts;
    try {
      const until = addSeconds(clock.now(), CLAIM_SECONDS);
      const claim = await store.platform.transaction((tx) => tx.first(renewClaim, { id, until }));
      if (!claim) ending.abort('lost' satisfies Ending);
      else if (claim.cancel_requested) ending.abort('canceled' satisfies Ending);
    } catch (error) {
      logger.warn({ err: error, build: id }, 'the claim of a build was not renewed');
    }
  }

  /** Undefined when they were written with a key that this server does not have. */
  #variablesOf({ encrypted_environment }: BuildRow): Variable[] | undefined {
    if (encrypted_environment === null) return [];
    try {
      return JSON.parse(this.#parts.encryption.decrypt(encrypted_environment)) as Variable[];
    } catch (error) {
      if (error instanceof DecryptionFailed) return undefined;
      throw error;
    }
  }

  async #store({ id, server_id }: BuildRow, lines: readonly PrintedLine[]): Promise<void> {
    await this.#parts.store.platform.transaction((tx) => buildOutput.insert(tx, id, lines));
    this.#parts.serverActivity.publish(server_id, 'server_build');
  }
}

/** Undefined for a fault of this server. */
function problemOf(error: unknown, reason: Ending | undefined): string | undefined {
  if (reason === 'canceled') return 'The build was canceled.';
  if (reason === 'limit') return `The build took more than ${LIMIT_SECONDS / 60} minutes.`;
  return error instanceof BuildFailed ? error.message : undefined;
}
