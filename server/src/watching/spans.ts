/**
 * Spans of traces, if the server was started with a tracer (`tracing/`); otherwise beginning one costs a check of a
 * variable. A span that begins within another one, or later in its promises, is its child.
 */

export interface Span {
  /** Runs `work` within this span. */
  within<T>(work: () => T): T;
  /** Sets the headers that pass this span on to another program: `traceparent` and `tracestate`. */
  carry(headers: Record<string, string>): void;
  /** Ends the span; later calls are ignored. `failure` is a word for what went wrong. */
  end(facts?: SpanEnd): void;
}

export interface SpanEnd {
  /** A better name that is known by now. */
  readonly name?: string | undefined;
  readonly attributes?: Attributes;
  readonly failure?: string | undefined;
}

type Attributes = Readonly<Record<string, string | number>>;

export interface SpanBegin {
  /** The name must not contain input of a caller. */
  readonly name: string;
  /** `server`: work for a caller. `client`: a request to another program. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** Headers of the caller, which may contain a span of the caller's own. */
  readonly caller?: Readonly<Record<string, string | string[] | undefined>>;
}

type Tracer = (begin: SpanBegin) => Span;

let tracer: Tracer | undefined;

/** Undefined turns tracing off. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

/** False if `beginSpan` returns undefined: then the caller can skip costly facts for the span. */
export function isTraced(): boolean {
  return tracer !== undefined;
}

/** Undefined if tracing is off. */
export function beginSpan(begin: SpanBegin): Span | undefined {
  return tracer?.(begin);
}

/** Runs `work` in a span of its own, which fails if the work fails. */
export async function inSpan<T>(begin: SpanBegin, work: () => Promise<T>): Promise<T> {
  const span = tracer?.(begin);
  if (!span) return work();
  try {
    const value = await span.within(work);
    span.end();
    return value;
  } catch (error) {
    span.end({ failure: (error as Error).name });
    throw error;
  }
}
