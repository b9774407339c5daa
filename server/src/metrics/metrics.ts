/** The metrics of a process in the text format of Prometheus. This folder is loaded only where they are switched on. */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Server } from '../context.ts';
import { DatabaseMetrics } from './database-metrics.ts';
import { ProcessMetrics } from './process-metrics.ts';

/** Scrapes within this time get the same text, so that any number of them costs one reading. */
const KEPT_MILLISECONDS = 1000;

export interface MetricsParts {
  readonly server: Server;
  readonly app: FastifyInstance;
  readonly openSockets: () => ReadonlyMap<string, number>;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #process: ProcessMetrics;
  readonly #database: DatabaseMetrics;
  #text: Promise<string> | undefined;
  #readAt = 0;

  /** Before the app listens. */
  constructor({ server, app, openSockets }: MetricsParts) {
    collectDefaultMetrics({ register: this.#registry });
    this.#process = new ProcessMetrics(this.#registry, { ...server, openSockets });
    this.#process.countRequests(app);
    this.#database = new DatabaseMetrics(this.#registry, server);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** A database that does not answer makes its values absent, and nothing else. */
  text(): Promise<string> {
    const now = performance.now();
    if (this.#text === undefined || now - this.#readAt > KEPT_MILLISECONDS) {
      this.#readAt = now;
      this.#text = this.#read();
    }
    return this.#text;
  }

  async #read(): Promise<string> {
    await this.#database.read();
    this.#process.read();
    return this.#registry.metrics();
  }

  close(): void {
    this.#process.close();
    this.#registry.clear();
  }
}
