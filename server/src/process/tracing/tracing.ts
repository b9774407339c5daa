/**
 * Traces by OpenTelemetry, sent as OTLP over HTTP. This folder is loaded only if the environment names a collector. The
 * variables are those of the specification: OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
 * OTEL_TRACES_SAMPLER, OTEL_BSP_*. Source:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../values/versions.ts';
import { type SpanBegin, type SpanEnd, type Span as TracedSpan, useTracer } from '../../watching/spans.ts';
import { spanRequests } from './http-spans.ts';
import { serverResource } from './resource.ts';
import { samplerOf } from './sampler.ts';

/** Time to send the last spans at the stop. */
const LAST_MILLISECONDS = 3000;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

type Environment = Readonly<Record<string, string | undefined>>;

export interface Tracing {
  /** Exports the waiting spans, for a few seconds at most. */
  close(): Promise<void>;
}

/** Traces the requests of `app`, before it listens, and the work that they cause. */
export function startTracing(app: FastifyInstance, environment: Environment): Tracing {
  const provider = new TracerProvider({
    resource: serverResource(),
    sampler: samplerOf(environment),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('signalbox', VERSION);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();
  useTracer(({ name, kind, attributes, caller }: SpanBegin): TracedSpan => {
    const around = current.getStore() ?? ROOT_CONTEXT;
    const parent = caller ? propagator.extract(ROOT_CONTEXT, caller, headers) : around;
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, parent);
    const context = trace.setSpan(parent, span);
    return {
      within: (work) => current.run(context, work),
      carry: (carrier) => propagator.inject(context, carrier, defaultTextMapSetter),
      end: ({ name: better, attributes: known, failure }: SpanEnd = {}) => {
        if (better !== undefined) span.updateName(better);
        if (known) span.setAttributes({ ...known });
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failure);
        span.end();
      },
    };
  });
  spanRequests(app);
  return {
    close: async () => {
      useTracer(undefined);
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_MILLISECONDS).unref());
      // If the collector is unreachable, the last spans are lost and the stop is not delayed.
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

/** Reads the headers of Node; a header that occurs twice counts as absent. */
const headers = {
  keys: (carrier: Record<string, unknown>) => Object.keys(carrier),
  get: (carrier: Record<string, unknown>, name: string) => {
    const value = carrier[name];
    return typeof value === 'string' ? value : undefined;
  },
};
