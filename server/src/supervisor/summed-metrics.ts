/** The metrics of several processes as those of one server. */
import { AggregatorRegistry, type MetricObject, Registry } from 'prom-client';
import type { SentMetric } from '../supervision/messages.ts';
import { attempt } from '../watching/background.ts';

/** Facts of each process by itself: its memory, its event loop. */
const OF_PROCESS = /^(nodejs|process)_/;
/** Only sums over time go on when a process has ended. */
const OVER_TIME = ['counter', 'histogram'];

/** A process with its values. */
export interface Measured {
  readonly process: string;
  readonly metrics: readonly SentMetric[];
}

export class SummedMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #measure: () => Promise<readonly Measured[]>;
  /** The last values of each process. */
  readonly #last = new Map<string, readonly SentMetric[]>();
  /** The sums of processes that have ended: a sum that became smaller would look like one that began anew. */
  #ended: Promise<readonly SentMetric[]> = Promise.resolve([]);

  constructor(measure: () => Promise<readonly Measured[]>) {
    this.#measure = measure;
  }

  async text(): Promise<string> {
    const all = await this.#measure();
    for (const measured of all) this.note(measured);
    // The values of a process that has not answered in time stay.
    const known = [...this.#last].flatMap(([process, metrics]) => metrics.map((metric) => named(metric, process)));
    return registryOf([known, await this.#ended]).metrics();
  }

  /** Keeps the values of a process until newer ones come. */
  note({ process, metrics }: Measured): void {
    if (metrics.length > 0) this.#last.set(process, metrics);
  }

  /** Keeps the sums of a process that has ended. */
  end(process: string): void {
    const last = (this.#last.get(process) ?? []).filter(
      ({ name, type }) => OVER_TIME.includes(String(type)) && !OF_PROCESS.test(name),
    );
    this.#last.delete(process);
    this.#ended = this.#ended.then(async (ended) => {
      let sums: unknown = ended;
      // A process of a later version may send what this one cannot add up. The sums of the others go on.
      await attempt('the sums of a process that has ended', async () => {
        sums = await registryOf([ended, last]).getMetricsAsJSON();
      });
      return sums as readonly SentMetric[];
    });
  }
}

/** With the name of its process, if values of several processes must not be added up. */
function named(metric: SentMetric, process: string): SentMetric {
  if (!OF_PROCESS.test(metric.name)) return metric;
  const values = (metric.values as readonly { readonly labels: object }[]).map((value) => ({
    ...value,
    labels: { ...value.labels, process },
  }));
  return { ...metric, aggregator: 'sum', values };
}

function registryOf(lists: readonly (readonly SentMetric[])[]): Registry {
  return AggregatorRegistry.aggregate(lists as unknown as MetricObject[]);
}
