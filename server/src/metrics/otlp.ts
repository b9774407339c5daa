/**
 * Sends the metrics to an OpenTelemetry collector, as OTLP over HTTP in its JSON encoding. The variables are those of the
 * specification. Each sending has the whole values, so one that fails loses nothing but a point.
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp and …/specs/otel/protocol/exporter/
 */

import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';
import { guarded } from '../background.ts';
import type { Logger } from '../logger.ts';
import { VERSION } from '../versions.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Values = readonly MetricObjectWithValues<MetricValue<string>>[];

const DEFAULT_INTERVAL_MILLISECONDS = 60_000;
const DEFAULT_TIMEOUT_MILLISECONDS = 10_000;
/** The collector waits no longer for the last values when the process stops. */
const LAST_MILLISECONDS = 3000;
/** AGGREGATION_TEMPORALITY_CUMULATIVE: values since the start of the process. */
const CUMULATIVE = 2;

export interface MetricsSending {
  /** Sends the last values, for a few seconds at most. */
  close(): Promise<void>;
}

/** `read` answers the values of now. Problems go to the log when they begin and when they end. */
export function sendMetrics(read: () => Promise<Values>, environment: Environment, logger: Logger): MetricsSending {
  const url = addressOf(environment);
  const headers = { ...headersOf(environment), 'content-type': 'application/json' };
  const timeout = milliseconds(
    environment['OTEL_EXPORTER_OTLP_METRICS_TIMEOUT'] || environment['OTEL_EXPORTER_OTLP_TIMEOUT'],
    DEFAULT_TIMEOUT_MILLISECONDS,
  );
  const interval = milliseconds(environment['OTEL_METRIC_EXPORT_INTERVAL'], DEFAULT_INTERVAL_MILLISECONDS);
  const resource = attributesOf();
  const began = Date.now();
  let isFailing = false;
  let underWay: Promise<void> | undefined;

  const send = async (within: number): Promise<void> => {
    try {
      const body = JSON.stringify(requestOf(await read(), { resource, began, now: Date.now() }));
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(within) });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`it answered ${answer.status}`);
      if (isFailing) logger.info('metrics reach the collector again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'metrics do not reach the collector; they are sent again later');
      isFailing = true;
    }
  };
  const timer = setInterval(
    guarded('the sending of metrics', () => {
      underWay ??= send(timeout).finally(() => {
        underWay = undefined;
      });
    }),
    interval,
  );
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await underWay;
      await send(Math.min(timeout, LAST_MILLISECONDS));
    },
  };
}

/** The address for metrics as it is, or the one of all signals with the path of metrics. */
function addressOf(environment: Environment): string {
  const own = environment['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'];
  return own || `${environment['OTEL_EXPORTER_OTLP_ENDPOINT']?.replace(/\/+$/, '')}/v1/metrics`;
}

/** `name=value` pairs behind commas, with percent-encoded values. */
function headersOf(environment: Environment): Record<string, string> {
  const text = environment['OTEL_EXPORTER_OTLP_METRICS_HEADERS'] || environment['OTEL_EXPORTER_OTLP_HEADERS'] || '';
  const pairs = text
    .split(',')
    .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1)]);
  return Object.fromEntries(
    pairs.filter(([name]) => name !== '').map(([name = '', value = '']) => [name, decoded(value.trim())]),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function milliseconds(text: string | undefined, fallback: number): number {
  const number = Number(text || Number.NaN);
  return number > 0 && number < 2 ** 31 ? number : fallback;
}

function attributesOf(): object[] {
  const named = resourceFromAttributes({ 'service.name': 'signalbox', 'service.version': VERSION });
  const { attributes } = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }));
  return Object.entries(attributes).map(([key, value]) => attribute(key, String(value)));
}

function attribute(key: string, value: string | number): object {
  return { key, value: { stringValue: String(value) } };
}

interface When {
  readonly resource: readonly object[];
  readonly began: number;
  readonly now: number;
}

/** An `ExportMetricsServiceRequest`. */
export function requestOf(values: Values, { resource, began, now }: When): object {
  const times = { startTimeUnixNano: nanoseconds(began), timeUnixNano: nanoseconds(now) };
  const metrics = values.filter((metric) => metric.values.length > 0).map((metric) => metricOf(metric, times));
  const scope = { name: 'signalbox', version: VERSION };
  return { resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics: [{ scope, metrics }] }] };
}

function nanoseconds(time: number): string {
  return `${time}000000`;
}

function metricOf({ name, help, type, values }: Values[number], times: object): object {
  const described = { name, description: help, ...(/_seconds(_total)?$/.test(name) ? { unit: 's' } : {}) };
  // The library calls kinds by their names, whatever its types say.
  const kind = String(type);
  if (kind === 'histogram') {
    const dataPoints = pointsOfHistogram(name, values, times);
    return { ...described, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  }
  const dataPoints = values.map(({ value, labels }) => ({
    ...times,
    attributes: attributesFrom(labels),
    asDouble: value,
  }));
  if (kind !== 'counter') return { ...described, gauge: { dataPoints } };
  return { ...described, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}

interface Series {
  readonly attributes: object[];
  readonly bounds: number[];
  /** Of values up to each bound, and in the end of all: each count has those before it. */
  readonly counts: number[];
  sum: number;
}

/** Prometheus counts in a bucket also what is in smaller ones, and OTLP does not. */
function pointsOfHistogram(name: string, values: readonly MetricValue<string>[], times: object): object[] {
  const series = new Map<string, Series>();
  for (const { value, labels, metricName } of values as readonly MetricValueWithName<string>[]) {
    const { le, ...others } = labels as Record<string, string | number>;
    const key = JSON.stringify(Object.entries(others).sort());
    const found = series.get(key) ?? { attributes: attributesFrom(others), bounds: [], counts: [], sum: 0 };
    series.set(key, found);
    if (metricName === `${name}_sum`) found.sum = value;
    if (metricName !== `${name}_bucket`) continue;
    if (le !== '+Inf') found.bounds.push(Number(le));
    found.counts.push(value);
  }
  return [...series.values()].map(({ attributes, bounds, counts, sum }) => ({
    ...times,
    attributes,
    count: String(counts.at(-1) ?? 0),
    sum,
    explicitBounds: bounds,
    bucketCounts: counts.map((count, index) => String(count - (counts[index - 1] ?? 0))),
  }));
}

function attributesFrom(labels: Partial<Record<string, string | number>>): object[] {
  return Object.entries(labels).map(([key, value]) => attribute(key, value ?? ''));
}
