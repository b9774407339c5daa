/** The metrics of a process, for Prometheus to read and for a collector to receive. This folder is loaded only where they are switched on. */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { Server } from '../../context/context.ts';
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

  /** The same, each metric with its values. */
  async values(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    await this.#refresh();
    return this.#registry.getMetricsAsJSON();
  }

  async #read(): Promise<string> {
    await this.#refresh();
    return this.#registry.metrics();
  }

  async #refresh(): Promise<void> {
    await this.#database.read();
    this.#process.read();
  }

  close(): void {
    this.#process.close();
    this.#registry.clear();
  }
}
