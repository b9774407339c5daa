/** Runs the background services of this process, each in its own loop, until stopped. */
import { createServiceContext, type Server } from '../context/context.ts';
import { listWorkspaces } from '../database/workspaces.ts';
import { doing } from '../watching/event-loop-watch.ts';
import { passes } from '../watching/telemetry.ts';
import type { Service } from './service.ts';

export interface RunningServices {
  /** Starts no new pass, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Starts the services that the configuration chose. The first passes begin at once. */
export function startServices(server: Server, services: readonly Service[]): RunningServices {
  const chosen = services.filter(({ name }) => server.config.services.has(name));
  const loops = chosen.map((service) => new ServiceLoop(server, service));
  const stops = loops.map((loop) => server.hub.hear('work', loop.service.name, (subject) => loop.wake(subject)));
  return {
    stop: async () => {
      for (const stop of stops) stop();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** The subject of a pass: the key of a workspace, or undefined for the server. */
type Subject = number | undefined;

class ServiceLoop {
  readonly #server: Server;
  readonly service: Service;
  readonly #name: string;
  /** The subjects that wake-ups named since their last pass began. */
  readonly #woken = new Set<Subject>();
  readonly #ended: Promise<void>;
  #stopping = false;
  #endPause: () => void = () => {};

  constructor(server: Server, service: Service) {
    this.#server = server;
    this.service = service;
    this.#name = `service ${service.name}`;
    this.#ended = this.#loop();
  }

  wake(subject: Subject): void {
    if ((this.service.scope === 'server') !== (subject === undefined)) return;
    this.#woken.add(subject);
    this.#endPause();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#endPause();
    await this.#ended;
    await this.service.stop?.();
  }

  async #loop(): Promise<void> {
    let nextFullPass = 0;
    while (!this.#stopping) {
      if (performance.now() >= nextFullPass) {
        for (const subject of await this.#subjects()) this.#woken.add(subject);
        nextFullPass = performance.now() + this.service.everySeconds * 1000;
      }
      for (const subject of [...this.#woken]) {
        if (this.#stopping) return;
        this.#woken.delete(subject);
        if (await this.#pass(subject)) this.#woken.add(subject);
      }
      if (this.#woken.size === 0) await this.#pause(nextFullPass - performance.now());
    }
  }

  async #subjects(): Promise<readonly Subject[]> {
    if (this.service.scope === 'server') return [undefined];
    try {
      return await listWorkspaces(this.#server.store);
    } catch (error) {
      this.#server.logger.error({ err: error, service: this.service.name }, 'a background service cannot read');
      return [];
    }
  }

  async #pass(subject: Subject): Promise<boolean> {
    const began = passes.begin();
    const service = this.service.name;
    try {
      await this.#server.clock.settled();
      doing(this.#name);
      const leftWork = await this.#runOnce(subject);
      passes.tell(began, { service, failed: false, leftWork });
      return leftWork;
    } catch (error) {
      passes.tell(began, { service, failed: true, leftWork: false });
      this.#server.logger.error({ err: error, service: this.service.name }, 'a background service failed');
      return false;
    }
  }

  #runOnce(subject: Subject): Promise<boolean> {
    if (this.service.scope === 'server') return this.service.runOnce(this.#server.clock.now());
    if (subject === undefined) throw new Error(`The service ${this.service.name} needs a workspace.`);
    return this.service.runOnce(createServiceContext(this.#server, subject));
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
