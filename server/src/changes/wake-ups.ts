/**
 * After its commit, an operation wakes the background service that has work, so that the service sees the change. A
 * wake-up is a hint; a service that misses one finds the work in its next pass.
 */

import type { ServiceName } from '../settings/services.ts';
import { guarded } from '../watching/background.ts';

/** `workspace` is undefined for a service of the server. */
type Listener = (service: ServiceName, workspace: number | undefined) => void;

export class WakeUps {
  #listener: Listener = () => {};

  /** Wakes a service of workspaces for one of them. */
  wake(service: ServiceName, workspace: number): void {
    this.#listener(service, workspace);
  }

  /** Wakes a service of the server. */
  wakeServer(service: ServiceName): void {
    this.#listener(service, undefined);
  }

  /** Replaces the listener; there is one. */
  listen(listener: Listener): void {
    this.#listener = guarded('the wake-up of a service', listener);
  }
}
