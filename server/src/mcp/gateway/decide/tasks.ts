/**
 * Ids of tasks, which are calls that continue after their first answer. A client gets a sealed id, which contains the
 * id of the upstream, the actor, the server and the capability that the task runs. So no other actor reads or cancels
 * the task, and a later rule that denies the capability denies the task. An id has one sealed form in a process.
 */

import type { Encryption } from '../../../encryption/encryption.ts';
import { openId, sealId } from '../../../encryption/sealed-id.ts';
import type { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { BoundedMap } from '../../../values/bounded-map.ts';
import type { NamedCapability } from '../../protocol/named-capability.ts';
import type { CapabilityView } from './policy.ts';

export interface Task {
  readonly serverId: string;
  readonly actorId: string;
  /** The id at the upstream. */
  readonly upstreamId: string;
  /** Null when the request that created it named none. */
  readonly capability: NamedCapability | null;
}

interface SealedTask extends Task {
  readonly sealed: string;
}

const KIND = 'task';
/** Most recently created or used tasks. `tasks/list` and notifications show only these. */
const MAX_KEPT = 10_000;

/** The fields in the order in which an id contains them. */
type TaskContent =
  | [string, string, string, kind: NamedCapability['kind'], name: string]
  | [string, string, string, kind: null, name: null];

export class Tasks {
  readonly #encryption: Encryption;
  readonly #byUpstreamId = new Map<string, SealedTask>();
  readonly #bySealed = new BoundedMap<string, SealedTask>({
    name: 'tasks',
    most: MAX_KEPT,
    // A task may have had another id here, from another replica.
    dropped: (task) => {
      if (this.#byUpstreamId.get(keyOf(task)) === task) this.#byUpstreamId.delete(keyOf(task));
    },
  });

  constructor(encryption: Encryption) {
    this.#encryption = encryption;
  }

  /** The id for a client. A known task keeps its id and its capability. */
  seal(task: Task): string {
    const known = this.find(task);
    if (known) return known.sealed;
    const { serverId, actorId, upstreamId, capability } = task;
    const content = [serverId, actorId, upstreamId, capability?.kind ?? null, capability?.name ?? null];
    const sealed = sealId(this.#encryption, KIND, content);
    this.#keep({ ...task, sealed });
    return sealed;
  }

  /** Undefined for an id that was not made here, or not for this server and actor. */
  open(sealed: string, serverId: string, actorId: string): Task | undefined {
    const task = this.#bySealed.get(sealed) ?? this.#unseal(sealed);
    return task?.serverId === serverId && task.actorId === actorId ? task : undefined;
  }

  /** Undefined when this process has not seen such a task of the actor. */
  find(task: Omit<Task, 'capability'>): SealedTask | undefined {
    return this.#byUpstreamId.get(keyOf(task));
  }

  #unseal(sealed: string): SealedTask | undefined {
    const content = openId(this.#encryption, KIND, sealed);
    if (!content) return undefined;
    const [serverId, actorId, upstreamId, kind, name] = content as TaskContent;
    const capability = kind === null ? null : { kind, name };
    const task = { serverId, actorId, upstreamId, capability, sealed };
    this.#keep(task);
    return task;
  }

  #keep(task: SealedTask): void {
    this.#bySealed.set(task.sealed, task, task.actorId);
    this.#byUpstreamId.set(keyOf(task), task);
  }
}

function keyOf({ serverId, actorId, upstreamId }: Omit<Task, 'capability'>): string {
  return JSON.stringify([serverId, actorId, upstreamId]);
}

/** True when the policy allows its actor to use the capability of the task. */
export function mayUseTask(
  { capability }: Pick<Task, 'capability'>,
  view: CapabilityView,
  work?: WorkAllowance,
): boolean {
  return capability === null ? view.unrestricted : view.decide(capability.kind, capability.name, work).allowed;
}
