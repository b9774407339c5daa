/** The problem of one field of a request. `path` is empty when the problem concerns the whole request. */
export interface FieldProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** A request that got no usable answer. */
export class Problem extends Error {
  /** HTTP status; 0 when the server was unreachable. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** Paths start in the body of the request. Empty when the answer names no field. */
  readonly fields: readonly FieldProblem[];

  constructor(status: number, message: string, retryAfterSeconds?: number, fields: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.fields = fields;
  }
}

/** Reads the sentence of an error answer of either API. */
export function problemOf(status: number, body: unknown, headers: Headers): Problem {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const seconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  return new Problem(status, sentenceOf(status, body), seconds, fieldsOf(body));
}

function fieldsOf(body: unknown): FieldProblem[] {
  if (typeof body !== 'object' || body === null) return [];
  const { exception_detail: issues, error } = body as Record<string, unknown>;
  if (!Array.isArray(issues)) return platformFieldsOf(error);
  return (issues as { loc?: readonly unknown[]; msg?: unknown }[]).map(({ loc = [], msg }) => ({
    path: loc.slice(1).map(String),
    message: `${String(msg)}.`,
  }));
}

/** Fields by their names in the platform API: `external.url`. */
function platformFieldsOf(error: unknown): FieldProblem[] {
  const { details } = (error ?? {}) as { details?: unknown };
  if (!Array.isArray(details)) return [];
  return (details as { field?: unknown; message?: unknown }[]).map(({ field, message }) => ({
    path: String(field).split('.'),
    message: `${String(message).replace(/\.$/, '')}.`,
  }));
}

function sentenceOf(status: number, body: unknown): string {
  if (typeof body === 'object' && body !== null) {
    const { detail, exception_detail, error } = body as Record<string, unknown>;
    const nested = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : undefined;
    for (const part of [nested, exception_detail, detail]) {
      if (typeof part === 'string' && part !== '') return part;
      if (Array.isArray(part) && part.length > 0) return part.map(issueSentence).join(' ');
    }
  }
  return fallbacks[status] ?? `The server answered ${status}.`;
}

function issueSentence(issue: unknown): string {
  const { loc, msg } = issue as { loc?: readonly unknown[]; msg?: unknown };
  const field = loc?.slice(1).join('.');
  return field ? `${field}: ${String(msg)}.` : `${String(msg)}.`;
}

const fallbacks: Readonly<Record<number, string>> = {
  0: 'The server cannot be reached.',
  401: 'You are not signed in.',
  403: 'You may not do this.',
  404: 'There is nothing at this address.',
  429: 'Too many requests. Wait a moment.',
  503: 'The server is busy or its database is away.',
};
