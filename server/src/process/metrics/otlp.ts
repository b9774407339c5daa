/**
 * Sends the metrics to an OpenTelemetry collector, as OTLP over HTTP in its JSON encoding. The variables are those of
 * the specification. Each export contains cumulative values, so a failed one loses only a point.
 */
import { type HrTime, ValueType } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, hrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';
import { VERSION } from '../../values/versions.ts';
import type { Logger } from '../../watching/logger.ts';
import { serverResource } from '../tracing/resource.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Values = readonly MetricObjectWithValues<MetricValue<string>>[];

const DEFAULT_INTERVAL_MILLISECONDS = 60_000;
const DEFAULT_TIMEOUT_MILLISECONDS = 10_000;
/** At the stop, the process waits at most this long for the last export. */
const LAST_MILLISECONDS = 3000;

export interface MetricsSending {
  /** Exports the last values, for a few seconds at most. */
  close(): Promise<void>;
}

/** `read` returns the current values. Problems are logged when they begin and when they end. */
export function sendMetrics(read: () => Promise<Values>, environment: Environment, logger: Logger): MetricsSending {
  const interval = Number(environment['OTEL_METRIC_EXPORT_INTERVAL']) || DEFAULT_INTERVAL_MILLISECONDS;
  const timeout = Number(environment['OTEL_METRIC_EXPORT_TIMEOUT']) || DEFAULT_TIMEOUT_MILLISECONDS;
  const reader = new PeriodicExportingMetricReader({
    exporter: new WatchedExporter(logger),
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(timeout, interval),
  });
  const resource = serverResource();
  const scope = { name: 'signalbox', version: VERSION };
  const began = hrTime();
  reader.setMetricProducer({
    collect: async () => {
      const times = { startTime: began, endTime: hrTime() };
      const metrics = (await read()).filter(({ values }) => values.length > 0).map((one) => metricOf(one, times));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  });
  return {
    // If the collector is unreachable, the last values are lost and the stop is not delayed.
    close: () => reader.shutdown({ timeoutMillis: LAST_MILLISECONDS }).catch(() => {}),
  };
}

class WatchedExporter extends OTLPMetricExporter {
  readonly #logger: Logger;
  #isFailing = false;

  constructor(logger: Logger) {
    super();
    this.#logger = logger;
  }

  override export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
    super.export(metrics, (result) => {
      const fails = result.code === ExportResultCode.FAILED;
      if (fails && !this.#isFailing) {
        this.#logger.warn({ err: result.error }, 'metrics do not reach the collector; they are sent again later');
      }
      if (!fails && this.#isFailing) this.#logger.info('metrics reach the collector again');
      this.#isFailing = fails;
      done(result);
    });
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function metricOf({ name, help, type, values }: Values[number], times: Times): MetricData {
  const unit = /_seconds(_total)?$/.test(name) ? 's' : '';
  const descriptor = { name, description: help, unit, valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  // The library names kinds by text, contrary to its types.
  const kind = String(type);
  if (kind === 'histogram') {
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(name, values, times) };
  }
  const dataPoints = values.map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), value }));
  if (kind !== 'counter') return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...base, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
}

/** A bucket of Prometheus includes the counts of smaller buckets; a bucket of OTLP does not. */
function histogramsOf(name: string, values: readonly MetricValue<string>[], times: Times): DataPoint<Histogram>[] {
  const series = new Map<string, DataPoint<Histogram>>();
  for (const { value, labels, metricName } of values as readonly MetricValueWithName<string>[]) {
    const { le, ...others } = labels as Record<string, string | number>;
    const key = JSON.stringify(Object.entries(others).sort());
    const none: Histogram = { buckets: { boundaries: [], counts: [] }, count: 0 };
    const point = series.get(key) ?? { ...times, attributes: attributesOf(others), value: none };
    series.set(key, point);
    const { value: histogram } = point;
    if (metricName === `${name}_sum`) histogram.sum = value;
    if (metricName !== `${name}_bucket`) continue;
    if (le !== '+Inf') histogram.buckets.boundaries.push(Number(le));
    histogram.buckets.counts.push(value - histogram.count);
    histogram.count = value;
  }
  return [...series.values()];
}

function attributesOf(labels: Partial<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}
