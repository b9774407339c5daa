/**
 * The metrics of a process, which Prometheus reads and a collector receives. This folder is loaded only if metrics are
 * on.
 */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { Server } from '../../context/context.ts';
import { DatabaseMetrics } from './database-metrics.ts';
import { databaseDefinitions } from './definitions.ts';
import { ProcessMetrics } from './process-metrics.ts';

/** Scrapes within this time get the same text, so that many of them cost one reading. */
const KEPT_MILLISECONDS = 1000;

/** Metrics with the same values in all processes of a machine. */
const SHARED: ReadonlySet<string> = new Set([
  ...Object.keys(databaseDefinitions),
  'signalbox_hosted_servers',
  'signalbox_hosted_processes',
]);

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
  /**
   * False in a process whose values are added to those of others: another one tells the values of the database and of the
   * host of programs, which all processes would read alike.
   */
  tellsShared = true;

  /** Call it before the app listens. */
  constructor({ server, app, openSockets }: MetricsParts) {
    collectDefaultMetrics({ register: this.#registry });
    this.#process = new ProcessMetrics(this.#registry, { ...server, openSockets });
    this.#process.countRequests(app);
    this.#database = new DatabaseMetrics(this.#registry, server);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** If the database does not answer, only its own values are absent. */
  text(): Promise<string> {
    const now = performance.now();
    if (this.#text === undefined || now - this.#readAt > KEPT_MILLISECONDS) {
      this.#readAt = now;
      this.#text = this.#read();
    }
    return this.#text;
  }

  /** Like `text`, but returns each metric with its values. */
  async values(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    await this.#refresh();
    const all = await this.#registry.getMetricsAsJSON();
    return this.tellsShared ? all : all.filter(({ name }) => !SHARED.has(name));
  }

  async #read(): Promise<string> {
    await this.#refresh();
    return this.#registry.metrics();
  }

  async #refresh(): Promise<void> {
    if (this.tellsShared) await this.#database.read();
    this.#process.read();
  }

  close(): void {
    this.#process.close();
    this.#registry.clear();
  }
}
