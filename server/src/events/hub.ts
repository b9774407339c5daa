import { guarded } from '../background.ts';
import type { Row } from '../database/tables.ts';

export type StoredEvent = Row<'event'>;
export type StoredLog = Row<'log'>;

type Listener<T> = (items: readonly T[]) => void;

/** Topics of the hub and their messages. */
interface Topics {
  events: StoredEvent;
  logs: StoredLog;
  /** Background task runs that began to wait for a task worker. */
  queuedTasks: { readonly task_key: string };
  /** Requests to the workers of a pool that began to wait for one. */
  cleanups: { readonly work_pool_id: string };
}

/**
 * Passes committed records to the live streams of this process. Publishing never waits and never throws; a
 * listener that cannot keep up bounds its own backlog.
 */
export class EventHub {
  readonly #listeners = {
    events: new Map<number, Set<Listener<StoredEvent>>>(),
    logs: new Map<number, Set<Listener<StoredLog>>>(),
    queuedTasks: new Map<number, Set<Listener<Topics['queuedTasks']>>>(),
    cleanups: new Map<number, Set<Listener<Topics['cleanups']>>>(),
  };

  publish<Topic extends keyof Topics>(topic: Topic, workspace: number, items: readonly Topics[Topic][]): void {
    const listeners = this.#of(topic).get(workspace);
    if (listeners) for (const listener of listeners) listener(items);
  }

  /** `end` ends the stream of a listener that fails. Returns a function that stops listening. */
  subscribe<Topic extends keyof Topics>(
    topic: Topic,
    workspace: number,
    given: Listener<Topics[Topic]>,
    end?: (error: unknown) => void,
  ): () => void {
    const listener: Listener<Topics[Topic]> = guarded(`a live stream of ${topic}`, given, end);
    const listeners = this.#of(topic);
    const inWorkspace = listeners.get(workspace) ?? new Set();
    listeners.set(workspace, inWorkspace);
    inWorkspace.add(listener);
    return () => {
      inWorkspace.delete(listener);
      if (inWorkspace.size === 0 && listeners.get(workspace) === inWorkspace) listeners.delete(workspace);
    };
  }

  #of<Topic extends keyof Topics>(topic: Topic): Map<number, Set<Listener<Topics[Topic]>>> {
    return this.#listeners[topic] as unknown as Map<number, Set<Listener<Topics[Topic]>>>;
  }
}
