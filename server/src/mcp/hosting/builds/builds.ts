/**
 * The builds of this process. They run in parallel with the passes of the service. A claim, renewed while a build runs,
 * makes exactly one replica run it; a build whose replica died is marked as failed.
 */

import type { Hub } from '../../../changes/hub.ts';
import type { Config } from '../../../config.ts';
import type { Store } from '../../../database/store.ts';
import { DecryptionFailed, type Encryption } from '../../../encryption/encryption.ts';
import { counted } from '../../../values/counted.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { addSeconds, type Clock, secondsBetween, type Timestamp } from '../../../values/time.ts';
import { attempt, guarded } from '../../../watching/background.ts';
import type { Logger } from '../../../watching/logger.ts';
import { type BuildTold, builds } from '../../../watching/telemetry.ts';
import { BuildFailed } from '../boundary/build-failed.ts';
import { ChannelClosed } from '../boundary/channel.ts';
import type { BuildResult, Host } from '../boundary/host.ts';
import type { Hosting } from '../hosting.ts';
import { promote } from '../launch/deployments.ts';
import type { BuildSource } from '../launch/source.ts';
import type { Variable } from '../launch/stored-launch.ts';
import { buildOutput } from '../output/stored-output.ts';
import {
  type BuildRow,
  claimBuild,
  deleteOldUploads,
  endBuild,
  failLost,
  findQueued,
  listOldBuilds,
  renewClaim,
  serverBuilds,
} from './queries.ts';

export const CLAIM_SECONDS = 60;
const RENEW_MILLISECONDS = 2000;
/** Builds of a server that are kept besides the live one, for a return to them. */
const KEPT_BUILDS = 20;
/** An upload is only kept for a build soon after. */
const UPLOADS_KEPT_SECONDS = 86_400;
const TIDY_SECONDS = 3600;

type Ending = 'canceled' | 'stopping' | 'lost' | 'limit' | 'interrupted';

/** The parts of the process that builds use. */
interface BuildsParts {
  readonly config: Pick<Config, 'hostingCeilings'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly encryption: Encryption;
  readonly hosting: Pick<Hosting, 'tryBuild' | 'host'>;
  readonly hub: Hub;
}

export class Builds {
  readonly #parts: BuildsParts;
  readonly #underWay = new Map<Promise<void>, AbortController>();
  /** Builds whose host ended during the build: the second time they fail. */
  readonly #interrupted = new Set<string>();
  #stopping = false;
  #tidied: Timestamp | undefined;

  constructor(parts: BuildsParts) {
    this.#parts = parts;
  }

  get #seconds(): number {
    return this.#parts.config.hostingCeilings.buildSeconds;
  }

  get #host(): Host {
    return this.#parts.hosting.host;
  }

  /** Starts waiting builds, as far as there is room. True when more are waiting. */
  async begin(): Promise<boolean> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    await store.platform.transaction((tx) =>
      tx.run(failLost, { now, error: 'The Signalbox server that ran this build has stopped.' }),
    );
    await this.#tidy(now);
    while (!this.#stopping && (await store.platform.reads().first(findQueued, {}))) {
      if (!(await this.#host.takeBuildPlace())) return false;
      const row = await this.#claim();
      if (!row) return false;
      this.#parts.hub.tell('activity', row.server_id, 'server_build');
      const ending = new AbortController();
      const ended = this.#build(row, ending)
        .catch((error: unknown) => this.#parts.logger.error({ err: error, build: row.id }, 'a build broke off'))
        .finally(() => {
          this.#host.giveBuildPlaceBack();
          this.#underWay.delete(ended);
          if (!this.#stopping) this.#parts.hub.tell('work', 'builds', undefined);
        });
      this.#underWay.set(ended, ending);
    }
    return false;
  }

  /** Claims the next build. Frees the reserved build slot if no build is waiting or the claim fails. */
  async #claim(): Promise<BuildRow | undefined> {
    const { store, clock } = this.#parts;
    let row: BuildRow | undefined;
    try {
      const now = clock.now();
      row = await store.platform.transaction((tx) =>
        tx.first(claimBuild, { now, until: addSeconds(now, CLAIM_SECONDS) }),
      );
      return row;
    } finally {
      if (!row) this.#host.giveBuildPlaceBack();
    }
  }

  /** Deletes old uploads. */
  async #tidy(now: Timestamp): Promise<void> {
    if (this.#tidied !== undefined && secondsBetween(this.#tidied, now) < TIDY_SECONDS) return;
    this.#tidied = now;
    const before = addSeconds(now, -UPLOADS_KEPT_SECONDS);
    const old = await this.#parts.store.platform.transaction((tx) => tx.all(deleteOldUploads, { before }));
    await this.#host.removeUploads(old.map(({ id }) => id));
  }

  /** Resolves when no build is running. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.keys());
  }

  /** Stops, and gives back the running builds. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const ending of this.#underWay.values()) ending.abort('stopping' satisfies Ending);
    await this.settled();
  }

  async #build(row: BuildRow, ending: AbortController): Promise<void> {
    const variables = this.#variablesOf(row);
    if (!variables) {
      await this.#end(row, { state: 'failed', error: 'The encryption key cannot decrypt the variables.' });
      return;
    }
    const limit = setTimeout(() => ending.abort('limit' satisfies Ending), this.#seconds * 1000);
    const began = builds.begin();
    let outcome: BuildTold['outcome'] = 'failed';
    const renewal = setInterval(
      guarded('the renewal of a claim', () => this.#renew(row.id, ending)),
      RENEW_MILLISECONDS,
    );
    let replaced: readonly Pick<BuildRow, 'id'>[] = [];
    try {
      const result = await this.#make(row, variables, ending.signal);
      if (row.promote) await this.#prove(row, result, ending.signal);
      await this.#say(row, 'The build has succeeded.');
      replaced = await this.#succeed(row, result);
      outcome = 'succeeded';
    } catch (error) {
      const reason = this.#reasonOf(row, error, ending.signal);
      if (reason === 'canceled') outcome = 'canceled';
      else if (reason === 'stopping' || reason === 'lost' || reason === 'interrupted') outcome = 'interrupted';
      await this.#fail(row, error, reason);
    } finally {
      clearTimeout(limit);
      clearInterval(renewal);
      builds.tell(began, { outcome });
    }
    // The build is complete from here on: later errors are logged, and undo nothing.
    await this.#host.removeBuilds(
      row.server_id,
      replaced.map(({ id }) => id),
    );
  }

  /** The reason why a build ended. Undefined when its own work failed. */
  #reasonOf({ id }: BuildRow, error: unknown, { aborted, reason }: AbortSignal): Ending | undefined {
    if (aborted) return reason as Ending;
    if (!(error instanceof ChannelClosed) || this.#interrupted.has(id)) return undefined;
    this.#interrupted.add(id);
    return 'interrupted';
  }

  async #fail(row: BuildRow, error: unknown, reason: Ending | undefined): Promise<void> {
    const { store, logger } = this.#parts;
    const told = problemOf(error, reason, this.#seconds);
    const message = told ?? 'Something went wrong here.';
    if (reason === 'stopping' || reason === 'interrupted') {
      const unfinished = { id: row.id, state: 'building' };
      const waiting = { state: 'queued', started: null, claimed_until: null };
      await store.platform.transaction((tx) => serverBuilds.changeAll(tx, unfinished, waiting));
    } else if (reason !== 'lost') {
      if (told === undefined) logger.error({ err: error, build: row.id }, 'a build failed');
      await this.#say(row, message);
      const isEnded = await this.#end(row, { state: reason === 'canceled' ? 'canceled' : 'failed', error: message });
      // Its commit succeeded, and only the answer of the database was lost.
      if (!isEnded) return;
    }
    await this.#host.removeBuilds(row.server_id, [row.id]);
  }

  async #make(row: BuildRow, variables: readonly Variable[], signal: AbortSignal): Promise<BuildResult> {
    const source = JSON.parse(row.source) as BuildSource;
    if (source.kind === 'command') {
      await this.#say(row, 'A command needs no build.');
      const directory = source.workingDirectory === null ? 'empty' : { path: source.workingDirectory };
      return { launch: { command: source.command, directory, shared: [], environment: {} }, resolved: {} };
    }
    const { id, server_id: serverId, entrypoint, dependency_path: dependencyPath } = row;
    return this.#host.build({ id, serverId, source, entrypoint, dependencyPath, variables }, signal);
  }

  /** A build must start and answer before it goes live; until then the live one stays. Throws BuildFailed. */
  async #prove(row: BuildRow, { launch, resolved }: BuildResult, signal: AbortSignal): Promise<void> {
    const build = { id: row.id, launch: jsonTextOf(launch), resolved: jsonTextOf(resolved) };
    const problem = await this.#parts.hosting.tryBuild(row.server_id, build, { kind: 'build', id: row.id });
    signal.throwIfAborted();
    if (problem !== undefined) throw new BuildFailed(`The build was not deployed. ${problem}`);
  }

  /**
   * Resolves with the builds that it replaced, whose folders must be removed. A failed build never gets here, so it
   * does not change the live one.
   */
  #succeed(row: BuildRow, { launch, resolved }: BuildResult): Promise<readonly Pick<BuildRow, 'id'>[]> {
    const { store, clock, hub } = this.#parts;
    const now = clock.now();
    return store.platform.transaction(async (tx) => {
      const result = { launch: jsonTextOf(launch), resolved: jsonTextOf(resolved) };
      const ended = await endBuild(tx, row.id, { state: 'succeeded', finished: now, error: null, ...result });
      tx.afterCommit(() => hub.tell('activity', row.server_id, 'server_build'));
      if (!ended) return [];
      if (row.promote) {
        await promote(tx, { serverId: row.server_id, buildId: row.id, actorName: row.actor_name, now });
        tx.afterCommit(() => {
          hub.tell('servers', row.server_id, 'deployment');
          hub.tell('work', 'manifests', undefined);
        });
      }
      const found = await tx.all(listOldBuilds, { server_id: row.server_id, kept: KEPT_BUILDS });
      for (const { id } of found) await serverBuilds.removeAll(tx, { id });
      return found;
    });
  }

  /** False when it had already ended. */
  async #end(row: BuildRow, end: { state: 'failed' | 'canceled'; error: string }): Promise<boolean> {
    const finished = this.#parts.clock.now();
    const ended = await this.#parts.store.platform.transaction((tx) =>
      endBuild(tx, row.id, { finished, launch: null, resolved: null, ...end }),
    );
    this.#parts.hub.tell('activity', row.server_id, 'server_build');
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

  /** Undefined when they were written with a key that this server lacks. */
  #variablesOf({ encrypted_environment }: BuildRow): Variable[] | undefined {
    if (encrypted_environment === null) return [];
    try {
      return JSON.parse(this.#parts.encryption.decrypt(encrypted_environment)) as Variable[];
    } catch (error) {
      if (error instanceof DecryptionFailed) return undefined;
      throw error;
    }
  }

  /** Adds a line of this server itself to the log of a build. A line that cannot be stored is lost. */
  async #say({ id, server_id: serverId }: BuildRow, message: string): Promise<void> {
    const { store, clock, hub } = this.#parts;
    const line = { occurred: clock.now(), stream: 'system', message } as const;
    await attempt('a line in the log of a build', () =>
      store.platform.transaction((tx) => buildOutput.insert(tx, id, [line])),
    );
    hub.tell('activity', serverId, 'server_build');
  }
}

/** Undefined for a fault of this server. */
function problemOf(error: unknown, reason: Ending | undefined, seconds: number): string | undefined {
  if (reason === 'canceled') return 'The build was canceled.';
  if (reason === 'limit')
    return `The build took more than ${counted(seconds, 'second')} (SIGNALBOX_HOSTING_BUILD_SECONDS).`;
  if (error instanceof ChannelClosed) return 'The host of the build ended twice during the build.';
  return error instanceof BuildFailed ? error.message : undefined;
}
