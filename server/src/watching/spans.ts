/**
 * Spans of traces, where the server was started with a tracer (`tracing/`); elsewhere beginning one costs a look at a
 * variable. A span that begins within another one, also later in its promises, is below it.
 */

export interface Span {
  /** Runs `work` as a part of this span. */
  within<T>(work: () => T): T;
  /** Sets the headers that name this span to another program: `traceparent` and `tracestate`. */
  carry(headers: Record<string, string>): void;
  /** Ends it, once; what follows is ignored. `failure` says in a word what went wrong. */
  end(facts?: SpanEnd): void;
}

export interface SpanEnd {
  /** A better name, known by now. */
  readonly name?: string | undefined;
  readonly attributes?: Attributes;
  readonly failure?: string | undefined;
}

type Attributes = Readonly<Record<string, string | number>>;

export interface SpanBegin {
  /** Never what a caller sent. */
  readonly name: string;
  /** `server`: work for a caller. `client`: another program is asked. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** Headers of the caller, who may name a span of its own. */
  readonly caller?: Readonly<Record<string, string | string[] | undefined>>;
}

type Tracer = (begin: SpanBegin) => Span;

let tracer: Tracer | undefined;

/** Undefined switches tracing off. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

/** False where `beginSpan` answers undefined: what takes long to put together for it can be left out. */
export function isTraced(): boolean {
  return tracer !== undefined;
}

/** Undefined where nothing is traced. */
export function beginSpan(begin: SpanBegin): Span | undefined {
  return tracer?.(begin);
}

/** Runs `work` in a span of its own, which fails with it. */
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
