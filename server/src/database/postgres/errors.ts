/** Translates errors of PostgreSQL and of its driver to errors of requests. */
import { ApiError, IntegrityConflict, Unavailable, Unprocessable } from '../../errors.ts';

/**
 * Codes after which the same request may succeed later. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 * 08 connection, 40 serialization and deadlock, 53 resources (disk full, too many connections), 57P0x shutdown and crash,
 * 58 system and input/output, 25006 read-only (a standby), 25P0x time-outs between statements, 55P03 lock time-out, 57014
 * statement time-out or cancellation.
 */
const PASSING = /^(08|40|53|57P0|58|25006|25P0[345]|55P03|57014)/;

/** Codes after which the connection must not be used again, even if it is still open. */
const SPOILED = /^(08|57P0|58|25006)/;

/** Codes for a full disk or a standby: other writes are refused too. */
const REFUSAL = /^(53100|58|25006)/;

/** Two rows with the same unique key, or a reference to a missing row. */
const INTEGRITY = new Set(['23505', '23503']);

/** A text with the character NUL. The bodies and paths of the API refuse it before it reaches a statement. */
const NOT_A_TEXT = '22021';

/** A text that is longer than an entry of an index holds. Names have no length of their own in the reference. */
const TOO_LONG = '54000';

/** A statement behind one that failed in the same transaction. */
const ABORTED = '25P02';

/** The error for a prepared statement whose table another replica has changed; preparing it again works. */
const STALE_PLAN = 'cached plan must not change result type';

/** Bugs in this server, which the driver throws while it encodes parameters. */
const BUGS = [TypeError, RangeError, SyntaxError, ReferenceError];

export const AWAY = 'The database is not available now.';

interface DriverError {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly message?: unknown;
}

/**
 * The error that a request ends with when the driver threw `error`. PostgreSQL's own errors have an SQL state; every
 * other error of the driver means that the connection was refused, lost, stalled or closed.
 */
export function translateError(error: unknown): unknown {
  if (error instanceof ApiError || BUGS.some((kind) => error instanceof kind)) return error;
  const state = stateOf(error);
  if (state !== undefined && INTEGRITY.has(state)) return new IntegrityConflict();
  if (state === NOT_A_TEXT) return new Unprocessable('A text must not contain NUL characters.');
  if (state === TOO_LONG) return new Unprocessable('A name or another text is too long.');
  if (state !== undefined && !PASSING.test(state) && !isStalePlan(error)) return error;
  return new Unavailable(AWAY, { cause: error });
}

/** True if the connection on which `error` occurred must be closed instead of reused. */
export function spoilsConnection(error: unknown): boolean {
  const cause = error instanceof Unavailable ? error.cause : error;
  if (cause === undefined || cause instanceof ApiError) return false;
  const state = stateOf(cause);
  return state === undefined ? !BUGS.some((kind) => cause instanceof kind) : SPOILED.test(state) || isStalePlan(cause);
}

/** True if it says only that an earlier statement of the transaction failed. */
export function followsFailure(error: unknown): boolean {
  return stateOf(error) === ABORTED;
}

/** True if the database as a whole accepts no writes. */
export function refusesWrites(error: unknown): boolean {
  return error instanceof Unavailable && REFUSAL.test(stateOf(error.cause) ?? '');
}

/** The SQL state; undefined for an error that PostgreSQL did not send. */
function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as DriverError;
  return typeof code === 'string' && typeof severity === 'string' ? code : undefined;
}

function isStalePlan(error: unknown): boolean {
  const { code, message } = (error ?? {}) as DriverError;
  return code === '0A000' && message === STALE_PLAN;
}
