import type { ConflictCode, ErrorCode, ImportCode } from './error-codes.ts';

/**
 * Every kind of error a request can end with, declared once. Domain code throws them with a sentence for the user; the
 * renderer of each surface turns them into bytes (`http/answer/render-error.ts`). Anything else that is thrown is a 500.
 * `ConfigError` alone ends a start or a command.
 */
export abstract class ApiError extends Error {
  abstract readonly status: number;
  /** `error-codes.ts` says what each means. */
  abstract readonly code: ErrorCode;
  /** Extra response headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>> = {};
  /** Facts beside the sentence, for programs; the platform API shows them. */
  readonly details?: unknown;
}

/** The request is understood but cannot be carried out as asked. */
export class BadRequest extends ApiError {
  readonly status = 400;
  readonly code = 'bad_request';
}

export class Unauthorized extends ApiError {
  readonly status = 401;
  readonly code = 'unauthorized';
}

/** The credential was valid and has expired. The answer may tell this to its holder. */
export class ExpiredCredential extends Unauthorized {}

export class Forbidden extends ApiError {
  readonly status = 403;
  readonly code = 'forbidden';
}

/** The key is too old for this organization, but still works in others. */
export class KeyTooOld extends Forbidden {}

export class NotFound extends ApiError {
  readonly status = 404;
  readonly code = 'not_found';
}

/**
 * An object that code below a handler looks for is missing. The reference answers with another body
 * (`exception_message`) than when the handler itself finds it missing. Source: `POST /flow_runs/{id}/set_state` of the
 * Prefect server 3.9.1.
 */
export class ObjectNotFound extends ApiError {
  readonly status = 404;
  readonly code = 'object_not_found';
}

export class MethodNotAllowed extends ApiError {
  readonly status = 405;
  readonly code = 'method_not_allowed';
}

/** The body came too slowly. */
export class RequestTimeout extends ApiError {
  readonly status = 408;
  readonly code = 'request_timeout';
}

export class Conflict extends ApiError {
  readonly status = 409;
  readonly code = 'conflict';
}

/** A conflict that programs recognize by its code. Platform API. */
export class NamedConflict extends ApiError {
  readonly status = 409;
  readonly code: ConflictCode;
  override readonly details: unknown;
  constructor(code: ConflictCode, message: string, details?: unknown) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** A unique or foreign key is violated. Source: `POST /flow_runs/` of the Prefect server 3.9.1. */
export class IntegrityConflict extends ApiError {
  readonly status = 409;
  readonly code = 'integrity_conflict';
  constructor() {
    super(
      'Data integrity conflict. This usually means a unique or foreign key constraint was violated. See server logs for details.',
    );
  }
}

export class Gone extends ApiError {
  readonly status = 410;
  readonly code = 'gone';
}

export class PayloadTooLarge extends ApiError {
  readonly status = 413;
  readonly code = 'payload_too_large';
}

/** A rule checked by a handler refuses the content (`{"detail": text}`). */
export class Unprocessable extends ApiError {
  readonly status = 422;
  readonly code = 'unprocessable';
}

/**
 * A field has a valid form but requests something impossible, for a reason that programs recognize by its code.
 * Platform API.
 */
export class NamedRefusal extends ApiError {
  readonly status = 422;
  readonly code: ImportCode | 'validation_failed';
  /** The path of the field, as in the details of other answers: `serverJson.remotes`. */
  readonly field: string;
  override readonly details: unknown;
  constructor(code: ImportCode | 'validation_failed', field: string, message: string) {
    super(message);
    this.code = code;
    this.field = field;
    this.details = [{ field, message }];
  }
}

/** All slots are taken. `retryAfterSeconds` is absent when waiting cannot help. */
export class Locked extends ApiError {
  readonly status = 423;
  readonly code = 'locked';
  override readonly headers: Readonly<Record<string, string>>;
  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  }
}

/** Too many attempts or requests from one caller. */
export class TooManyRequests extends ApiError {
  readonly status = 429;
  readonly code = 'too_many_requests';
  override readonly headers: Readonly<Record<string, string>>;
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.headers = { 'retry-after': String(retryAfterSeconds) };
  }
}

/** The server cannot answer now (database away, shutting down); the client may try again. */
export class Unavailable extends ApiError {
  readonly status = 503;
  readonly code = 'unavailable';
  override readonly headers: Readonly<Record<string, string>>;
  constructor(message: string, { retryAfterSeconds = 1, ...options }: UnavailableOptions = {}) {
    super(message, options);
    this.headers = { 'retry-after': String(retryAfterSeconds) };
  }
}

interface UnavailableOptions extends ErrorOptions {
  readonly retryAfterSeconds?: number;
}

/** One fault of a request. Source: the error vocabulary of the reference's validation answers. */
export interface ValidationIssue {
  /** For example `missing`, `extra_forbidden`, `uuid_parsing`. */
  readonly type: string;
  /** `body`, `query` or `path`, then keys and indexes. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** The given value, as parsed. */
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
  /** Address of a page about this type of fault. Only faults of a stored object have one. */
  readonly url?: string;
}

/** The request does not match its schema. */
export class ValidationFailed extends ApiError {
  readonly status = 422;
  readonly code = 'validation_failed';
  readonly issues: readonly ValidationIssue[];
  constructor(issues: readonly ValidationIssue[]) {
    super('Invalid request received.');
    this.issues = issues;
  }
}

export function notFound(detail: string): never {
  throw new NotFound(detail);
}

/** Returns the value, or throws NotFound with the sentence `missing`. */
export function found<Value>(value: Value | undefined, missing: string): Value {
  return value ?? notFound(missing);
}

/** A configuration or a command that does not work; the message is for the operator. */
export class ConfigError extends Error {}
