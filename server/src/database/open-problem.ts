/** Explains to the operator why a database does not open. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { ConfigError, IntegrityConflict } from '../errors.ts';
import { sqliteFileOf } from '../settings/database-url.ts';

const SETTING = 'SIGNALBOX_DATABASE_URL (--database-url)';

/** The statement is wrong: a name in it is unknown or already exists. */
const SQLITE_ERROR = 1;

/** Primary result codes of SQLite. Source: https://www.sqlite.org/rescode.html */
const sqliteReasons: Readonly<Record<number, string>> = {
  3: 'cannot be read by this user. Give the user that runs Signalbox the rights to it',
  5: 'is locked by another program. Stop that program',
  8: 'cannot be written by this user. Give the user that runs Signalbox the rights to it and to its folder',
  10: 'cannot be read or written: the disk fails or is missing. Check the disk',
  11: 'is damaged. Restore a backup',
  13: 'cannot grow: the disk is full. Free some space',
  14: 'cannot be opened. It must be a file in a folder that the user that runs Signalbox can write to',
  26: 'is not an SQLite database. Move it away',
};

/** The error as a ConfigError if an operator can fix it, else unchanged. */
export function openProblem(url: string, error: unknown): unknown {
  if (error instanceof ConfigError) return error;
  const cause = causeOf(error);
  const reason = url.startsWith('sqlite:') ? sqliteReason(url, cause) : postgresReason(url, cause);
  return reason === undefined ? error : new ConfigError(reason);
}

/**
 * Explains why a statement of a command failed. An error that only says that another program is writing is returned
 * unchanged.
 */
export function writeProblem(url: string, error: unknown): unknown {
  const { errcode, code } = causeOf(error);
  const isBusy = errcode !== undefined && [5, 6].includes(errcode & 0xff);
  const isOfDatabase = errcode !== undefined || /^(42501|53|57P|08|E[A-Z]+$)/.test(code ?? '');
  return isBusy || !isOfDatabase ? error : openProblem(url, error);
}

/** Throws ConfigError if the folder is missing: a mistyped address must not create an empty database. */
export function checkFolderOf(file: string): void {
  const folder = dirname(file);
  if (isFolder(folder)) return;
  throw new ConfigError(`The folder ${folder} of the database ${file} does not exist. Make it, or correct ${SETTING}.`);
}

/**
 * Throws ConfigError if a server would create an empty database by mistake: in a folder that is missing, in the current
 * folder of a relative address, or beside a database with almost the same name.
 */
export function checkNewFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile()) return;
  if (found?.isDirectory()) throw new ConfigError(`${file} is a folder. Name a file in ${SETTING}.`);
  if (found) throw new ConfigError(`${file} is not a file. Name a file in ${SETTING}.`);
  const path = resolve(file);
  if (!isAbsolute(file)) {
    // `sqlite:///var/lib/x.db` is relative in Python too, and mostly meant as absolute.
    const meant = !isFolder(dirname(path)) && isFolder(dirname(`/${file}`)) ? `/${file}` : path;
    throw new ConfigError(
      `There is no database at ${path}, and ${file} names another file in each working directory. Set SIGNALBOX_DATABASE_URL=sqlite:${meant} (--database-url) to begin one there.`,
    );
  }
  checkFolderOf(file);
  const other = readdirSync(dirname(path)).find(
    (name) => isMistyped(basename(path), name) && isSqlite(join(dirname(path), name)),
  );
  if (other === undefined) return;
  throw new ConfigError(
    `There is no database ${file}, but ${join(dirname(path), other)}. Correct ${SETTING}, or make an empty file of the new name to begin another database.`,
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** False for names that differ only in digits (`flows-1.db`, `flows-2.db`), because such names are intentional. */
function isMistyped(given: string, name: string): boolean {
  const [one, other] = [given, name].map((text) => text.replaceAll(/\d/g, ''));
  if (one === undefined || other === undefined || one === other) return false;
  return distance(one.toLowerCase(), other.toLowerCase()) <= Math.min(2, Math.floor(one.length / 4));
}

/** Source: sqlite.org/fileformat.html, section 1.3. */
function isSqlite(path: string): boolean {
  const magic = 'SQLite format 3';
  const bytes = Buffer.alloc(magic.length);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  try {
    const file = openSync(path, 'r');
    readSync(file, bytes);
    closeSync(file);
  } catch {
    return false;
  }
  return bytes.toString('latin1') === magic;
}

/** The name of the database behind an address, for people. It never contains the password. */
export function nameOfDatabase(url: string): string {
  const file = sqliteFileOf(url);
  if (file !== undefined) return `The database ${file}`;
  const { place, database } = partsOf(url);
  return `The database "${database}" of PostgreSQL at ${place}`;
}

/**
 * The error for a database whose tables are not those that this version expects; `difference` describes how they
 * differ.
 */
export function doesNotFit(url: string, difference: string): ConfigError {
  return new ConfigError(
    `${nameOfDatabase(url)} does not fit this version of Signalbox: ${difference}. Nothing was changed. Start the version that used it last, restore a backup, or name an empty database or a new file in ${SETTING}.`,
  );
}

/**
 * True if a statement failed because of the database's content: names, or rows that break a rule. 42501 is a missing
 * permission.
 */
export function failsByContents(error: unknown): boolean {
  if (error instanceof IntegrityConflict) return true;
  const { code = '', errcode } = error as DriverError;
  return errcode === undefined ? /^(42(?!501)|23)/.test(code) : (errcode & 0xff) === SQLITE_ERROR;
}

interface DriverError {
  readonly message?: string;
  readonly code?: string | undefined;
  /** The result code of SQLite. */
  readonly errcode?: number;
  readonly errors?: readonly DriverError[];
}

/**
 * Finds the driver's error: it is the cause of our own kinds of errors, and an address with several hosts gives
 * several.
 */
function causeOf(error: unknown): DriverError {
  const { cause, errors, errcode } = (error ?? {}) as DriverError & { cause?: unknown };
  if (errcode === undefined && cause instanceof Error) return causeOf(cause);
  return errors?.[0] ?? ((error ?? {}) as DriverError);
}

function sqliteReason(url: string, { errcode, code, message }: DriverError): string | undefined {
  const file = nameOfDatabase(url);
  const another = `name another file in ${SETTING}`;
  const reason = errcode === undefined ? undefined : sqliteReasons[errcode & 0xff];
  if (reason !== undefined) return `${file} ${reason}, or ${another}.`;
  return code?.startsWith('E') && errcode === undefined
    ? `${file} cannot be made (${message ?? code}). Give the user that runs Signalbox write access, or ${another}.`
    : undefined;
}

/** Codes of PostgreSQL. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function postgresReason(url: string, { code = '', message = '' }: DriverError): string | undefined {
  const { place, user, database } = partsOf(url);
  const see = `Correct it in ${SETTING}`;
  const host = `PostgreSQL at ${place}`;
  if (code === 'ECONNREFUSED' || (code === 'ENOENT' && /connect/.test(message))) {
    return `${host} does not answer: nothing listens there. Start it, or name another address in ${SETTING}.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${host} cannot be found: the host name is unknown. ${see}.`;
  if (/^E(HOSTUNREACH|NETUNREACH|TIMEDOUT|CONNRESET|PIPE)$/.test(code) || /timeout|terminated/i.test(message)) {
    return `${host} does not answer in time. Start it, or name another address in ${SETTING}.`;
  }
  if (code === '3D000') {
    return `${host} has no database "${database}". Create it (createdb ${database}), or name another in ${SETTING}.`;
  }
  if (code === '28P01') return `${host} refuses the password of the user "${user}". ${see}.`;
  if (code === '28000' && !/encryption|SSL/i.test(message)) return `${host} refuses the user "${user}". ${see}.`;
  if (code === '42501' && /for (table|sequence|view)/.test(message)) {
    return `The user "${user}" lacks a right in the database "${database}": ${message}. Grant it, or name another user in ${SETTING}.`;
  }
  if (code === '53100') return `The disk of ${host} is full. Free some space.`;
  if (code === '42501')
    return `The user "${user}" may not create tables in the database "${database}". Grant that right to the user.`;
  if (code === '57P03') return `${host} is starting or stopping. Try again in a moment.`;
  if (code === '53300') return `${host} has no free connection. Raise its max_connections, or stop other programs.`;
  if (/does not support SSL/i.test(message)) {
    return `${host} does not accept encrypted connections. Enable TLS there, or remove sslmode from ${SETTING}.`;
  }
  if (code === '28000') return `${host} requires an encrypted connection. Add ?sslmode=verify-full to ${SETTING}.`;
  if (/certificate|self.signed|altname|SSL|TLS/i.test(`${code} ${message}`)) {
    return `The certificate of ${host} is not trusted (${message}). Name its issuer with &sslrootcert=<file> in ${SETTING}.`;
  }
  if (/password/i.test(message)) return `${host} requires a password, and ${SETTING} has none.`;
  if (/Invalid URL|URI malformed/i.test(message)) return `${SETTING} is not a valid address.`;
  // A file that the address names, such as a root certificate.
  if (/^E(NOENT|ACCES|ISDIR)$/.test(code)) return `${SETTING} names a file that cannot be read: ${message}.`;
  return undefined;
}

function partsOf(url: string): { place: string; user: string; database: string } {
  const parsed = URL.parse(url);
  const port = parsed?.port || '5432';
  return {
    place: `${parsed?.hostname || parsed?.searchParams.get('host') || 'localhost'}:${port}`,
    user: decodeURIComponent(parsed?.username ?? ''),
    database: decodeURIComponent(parsed?.pathname.slice(1) ?? ''),
  };
}
