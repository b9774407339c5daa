/**
 * Ids of tasks, which are calls that continue after their first answer. A client gets a sealed id, which contains the
 * id of the upstream, the actor, the server and the capability that the task runs. So no other actor reads or cancels
 * the task, and a later rule that denies the capability denies the task. The database has all tasks, so that each
 * process lists those of others, and a process that starts lists those from before.
 */

import { ANY, type Hub } from '../../../changes/hub.ts';
import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Encryption } from '../../../encryption/encryption.ts';
import { openId, sealId } from '../../../encryption/sealed-id.ts';
import { hashOfSecret } from '../../../encryption/secret-hash.ts';
import type { WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { BoundedMap } from '../../../values/bounded-map.ts';
import type { Clock } from '../../../values/time.ts';
import type { Logger } from '../../../watching/logger.ts';
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
/** Tasks of one actor at one server that are read for a list. */
const MOST_LISTED = 1000;

const listTasks = platformStatement<{ server_id: string; actor_id: string }, Pick<Row<'mcp_task'>, 'sealed'>>(
  (query, given) =>
    query
      .selectFrom('mcp_task')
      .select('sealed')
      .where('server_id', '=', given.server_id)
      .where('actor_id', '=', given.actor_id)
      .orderBy('created', 'desc')
      .limit(MOST_LISTED),
);
const tasks = rows('mcp_task');

interface TaskParts {
  readonly store: Store;
  readonly encryption: Encryption;
  readonly clock: Clock;
  readonly hub: Hub;
  readonly logger: Logger;
}

/** The fields in the order in which an id contains them. */
type TaskContent =
  | [string, string, string, kind: NamedCapability['kind'], name: string]
  | [string, string, string, kind: null, name: null];

export class Tasks {
  readonly #parts: TaskParts;
  /** Rows that are not stored yet. */
  #unwritten: Row<'mcp_task'>[] = [];
  #writing: Promise<void> | undefined;
  readonly #byUpstreamId = new Map<string, SealedTask>();
  readonly #bySealed = new BoundedMap<string, SealedTask>({
    name: 'tasks',
    most: MAX_KEPT,
    // A task may have had another id here, from another replica.
    dropped: (task) => {
      if (this.#byUpstreamId.get(keyOf(task)) === task) this.#byUpstreamId.delete(keyOf(task));
    },
  });

  constructor(parts: TaskParts) {
    this.#parts = parts;
    // The list of another process has a task from the database; its notifications may come sooner.
    parts.hub.hear('tasks', ANY, (sealed) => this.#bySealed.get(sealed) ?? this.#unseal(sealed));
  }

  /** The id for a client. A known task keeps its id and its capability. */
  seal(task: Task): string {
    const known = this.find(task);
    if (known) return known.sealed;
    const { serverId, actorId, upstreamId, capability } = task;
    const content = [serverId, actorId, upstreamId, capability?.kind ?? null, capability?.name ?? null];
    const sealed = sealId(this.#parts.encryption, KIND, content);
    this.#keep({ ...task, sealed });
    this.#write({
      id: hashOfSecret(keyOf(task)),
      created: this.#parts.clock.now(),
      server_id: serverId,
      actor_id: actorId,
      sealed,
    });
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

  /** Reads the tasks of an actor that this process may not know. */
  async load(serverId: string, actorId: string): Promise<void> {
    const given = { server_id: serverId, actor_id: actorId };
    for (const { sealed } of await this.#parts.store.platform.reads().all(listTasks, given)) {
      if (!this.#bySealed.get(sealed)) this.#unseal(sealed);
    }
  }

  /** Resolves when every task so far is stored, or could not be; undefined if it is. Never rejects. */
  settled(): Promise<void> | undefined {
    return this.#writing;
  }

  #write(row: Row<'mcp_task'>): void {
    this.#unwritten.push(row);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    const { store, hub, logger } = this.#parts;
    while (this.#unwritten.length > 0) {
      const written = this.#unwritten;
      this.#unwritten = [];
      try {
        await store.platform.transaction(async (tx) => {
          for (const row of written) await tasks.insertUnlessThere(tx, row);
        }, 'process');
        for (const { server_id, sealed } of written) hub.tell('tasks', server_id, sealed);
      } catch (error) {
        logger.warn(
          { err: error, tasks: written.length },
          'tasks of MCP servers are missing in lists of other processes',
        );
      }
    }
  }

  #unseal(sealed: string): SealedTask | undefined {
    const content = openId(this.#parts.encryption, KIND, sealed);
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
