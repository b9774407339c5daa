import type { Context, Server } from '../context/context.ts';
import { Outgoing } from '../orchestration/automations/actions/outgoing.ts';
import { performActions } from '../orchestration/automations/actions/perform.ts';
import type { WorkspaceService } from './service.ts';

/** Carries out the actions of automations that fired. */
export class Actions implements WorkspaceService {
  readonly name = 'actions';
  readonly scope = 'workspace';
  readonly everySeconds = 5;
  readonly #outgoing: Outgoing;
  readonly #drainSeconds: number;

  constructor({ config, hub, capacity }: Pick<Server, 'config' | 'hub' | 'capacity'>) {
    this.#outgoing = new Outgoing(hub, capacity);
    this.#drainSeconds = config.drainSeconds;
  }

  runOnce(context: Context): Promise<boolean> {
    return performActions(context, this.#outgoing);
  }

  /** Resolves when no action is on its way to another server. */
  settled(): Promise<void> {
    return this.#outgoing.settled();
  }

  stop(): Promise<void> {
    return this.#outgoing.stop(this.#drainSeconds);
  }
}
