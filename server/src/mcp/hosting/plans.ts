/** Reads how a program is started, at each start, so that a change counts from the next one on. */
import { existsSync } from 'node:fs';
import type { HostingCeilings } from '../../config.ts';
import type { Store } from '../../database/store.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import type { ProgramSpec } from './boundary/host.ts';
import type { Folders } from './host/runner/folders.ts';
import { belowCeilings } from './launch/ceilings.ts';
import { findPlan, listVariables, type PlanRow, versionOf } from './launch/queries.ts';
import { type HostedConnection, hostedConnectionOf } from './launch/schema.ts';
import { needsArtifact, readVariables, type StoredLaunch } from './launch/stored-launch.ts';

export type CompletePlan = PlanRow & { deployment_id: string; build_id: string; launch: string };

export function isComplete(plan: PlanRow | undefined): plan is CompletePlan {
  return plan !== undefined && plan.deployment_id !== null && plan.build_id !== null && plan.launch !== null;
}

interface PlanParts {
  readonly store: Store;
  readonly encryption: Encryption;
  readonly config: { readonly hostingCeilings: HostingCeilings };
}

export class Plans {
  readonly #parts: PlanParts;
  readonly #folders: Folders;

  constructor(parts: PlanParts, folders: Folders) {
    this.#parts = parts;
    this.#folders = folders;
  }

  /** Undefined when the server does not exist. */
  find(serverId: string): Promise<PlanRow | undefined> {
    return this.#parts.store.platform.reads().first(findPlan, { id: serverId });
  }

  /**
   * True if the program could start from the files of this machine. True also when there is nothing to start: a start
   * then tells the reason.
   */
  async hasFiles(serverId: string): Promise<boolean> {
    const plan = await this.find(serverId);
    if (!isComplete(plan) || plan.stopped_at !== null) return true;
    const isNeeded = needsArtifact(JSON.parse(plan.launch) as StoredLaunch);
    return !isNeeded || existsSync(this.#folders.artifact(serverId, plan.build_id));
  }

  /** All facts for the start, with the variables in plain text. */
  async specOf(serverId: string, plan: CompletePlan): Promise<ProgramSpec> {
    const { store, encryption, config } = this.#parts;
    const rows = await store.platform.reads().all(listVariables, { server_id: serverId });
    return {
      serverId,
      deploymentId: plan.deployment_id,
      buildId: plan.build_id,
      version: versionOf(plan),
      launch: JSON.parse(plan.launch) as StoredLaunch,
      connection: belowCeilings(
        hostedConnectionOf(JSON.parse(plan.connection) as Partial<HostedConnection>),
        config.hostingCeilings,
      ),
      variables: readVariables(encryption, rows),
      facts: factsOf(serverId, plan),
    };
  }
}

/** Variables that every program gets. */
function factsOf(serverId: string, plan: CompletePlan): Record<string, string> {
  const resolved = JSON.parse(plan.resolved ?? '{}') as { commit?: string; repository?: string };
  return {
    SIGNALBOX_SERVER_ID: serverId,
    SIGNALBOX_BUILD_ID: plan.build_id,
    ...(resolved.commit === undefined ? {} : { SIGNALBOX_GIT_COMMIT: resolved.commit }),
    ...(resolved.repository === undefined ? {} : { SIGNALBOX_GIT_REPOSITORY: resolved.repository }),
  };
}
