/**
 * How an operation tells a background service that there is work: after its commit, so that the service sees it. A wake-up
 * is a hint; a service that misses one looks by itself a little later.
 */
import type { ServiceName } from './settings/services.ts';

export class WakeUps {
  #listener: (service: ServiceName, workspace: number) => void = () => {};

  wake(service: ServiceName, workspace: number): void {
    this.#listener(service, workspace);
  }

  /** Who is told from now on; there is one. */
  listen(listener: (service: ServiceName, workspace: number) => void): void {
    this.#listener = listener;
  }
}
