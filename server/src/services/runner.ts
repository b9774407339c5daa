/** Runs the background services of this process: each in a loop of its own, over all workspaces, until stopped. */
import { createServiceContext, type Server } from '../context.ts';
import { listWorkspaces } from '../database/workspaces.ts';
import { doing } from '../event-loop-watch.ts';
import type { Service } from './service.ts';

export interface RunningServices {
  /** Begins no new pass, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** Starts those of the services that the configuration chose. The first passes begin at once. */
export function startServices(server: Server, services: readonly Service[]): RunningServices {
  const chosen = services.filter(({ name }) => server.config.services.has(name));
  const loops = new Map(chosen.map((service) => [service.name, new ServiceLoop(server, service)]));
  server.wakeUps.listen((name, workspace) => loops.get(name)?.wake(workspace));
  return {
    stop: async () => {
      server.wakeUps.listen(() => {});
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
    },
  };
}

class ServiceLoop {
  readonly #server: Server;
  readonly #service: Service;
  readonly #name: string;
  /** Workspaces that a wake-up named since their last pass began. */
  readonly #woken = new Set<number>();
  readonly #ended: Promise<void>;
  #stopping = false;
  #endPause: () => void = () => {};

  constructor(server: Server, service: Service) {
    this.#server = server;
    this.#service = service;
    this.#name = `service ${service.name}`;
    this.#ended = this.#loop();
  }

  wake(workspace: number): void {
    this.#woken.add(workspace);
    this.#endPause();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#endPause();
    await this.#ended;
    await this.#service.stop?.(this.#server);
  }

  async #loop(): Promise<void> {
    let nextFullPass = 0;
    while (!this.#stopping) {
      if (performance.now() >= nextFullPass) {
        for (const workspace of await this.#workspaces()) this.#woken.add(workspace);
        nextFullPass = performance.now() + this.#service.everySeconds * 1000;
      }
      for (const workspace of [...this.#woken]) {
        if (this.#stopping) return;
        this.#woken.delete(workspace);
        if (await this.#pass(workspace)) this.#woken.add(workspace);
      }
      if (this.#woken.size === 0) await this.#pause(nextFullPass - performance.now());
    }
  }

  async #workspaces(): Promise<readonly number[]> {
    try {
      return await listWorkspaces(this.#server.store);
    } catch (error) {
      this.#server.logger.error({ err: error, service: this.#service.name }, 'a background service cannot read');
      return [];
    }
  }

  async #pass(workspace: number): Promise<boolean> {
    try {
      await this.#server.clock.settled();
      doing(this.#name);
      return await this.#service.runOnce(createServiceContext(this.#server, workspace));
    } catch (error) {
      this.#server.logger.error({ err: error, service: this.#service.name }, 'a background service failed');
      return false;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
