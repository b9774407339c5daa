/** Translates errors of SQLite to errors of requests. */
import { IntegrityConflict, Unavailable } from '../../errors.ts';

/** Primary result codes of SQLite. Source: https://www.sqlite.org/rescode.html */
const CONSTRAINT = 19;
/** Codes for a file that does not accept writes: other writes are refused too. */
const REFUSAL = new Set([8 /* read-only */, 10 /* i/o */, 13 /* full */, 14 /* cannot open */]);
const TRANSIENT = new Set([
  ...REFUSAL,
  5 /* busy */,
  6 /* locked */,
  7 /* out of memory */,
  9 /* interrupted */,
  15 /* lock protocol */,
]);

/** True if the database as a whole accepts no writes. */
export function refusesWrites(error: unknown): boolean {
  return error instanceof Unavailable && REFUSAL.has(primaryCode(error.cause) ?? 0);
}

function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** The error that a request ends with when the driver threw `error`. */
export function translateError(error: unknown): unknown {
  const primary = primaryCode(error);
  if (primary === undefined) return error;
  if (primary === CONSTRAINT) return new IntegrityConflict();
  if (TRANSIENT.has(primary)) {
    return new Unavailable('The database is not available now.', { cause: error });
  }
  return error;
}
