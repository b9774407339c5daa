/**
 * Makes the instruments of the metrics library from their definitions. Only this file and `metrics.ts` import the
 * library.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Definition } from './definitions.ts';

type Instrument<D extends Definition> = D['kind'] extends 'counter'
  ? Counter<D['labels'][number]>
  : D['kind'] extends 'gauge'
    ? Gauge<D['labels'][number]>
    : Histogram<D['labels'][number]>;

export type Instruments<Definitions extends Record<string, Definition>> = {
  readonly [Name in keyof Definitions]: Instrument<Definitions[Name]>;
};

export function makeInstruments<Definitions extends Record<string, Definition>>(
  definitions: Definitions,
  registry: Registry,
): Instruments<Definitions> {
  const made = Object.entries(definitions).map(([name, definition]) => [name, make(name, definition, registry)]);
  return Object.fromEntries(made) as Instruments<Definitions>;
}

function make(name: string, definition: Definition, registry: Registry): Counter | Gauge | Histogram {
  const options = { name, help: definition.help, labelNames: [...definition.labels], registers: [registry] };
  switch (definition.kind) {
    case 'counter':
      return new Counter(options);
    case 'gauge':
      return new Gauge(definition.together ? { ...options, aggregator: definition.together } : options);
    case 'histogram':
      return new Histogram({ ...options, buckets: [...definition.buckets] });
  }
}
