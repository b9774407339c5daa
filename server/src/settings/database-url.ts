/** Reads database addresses, also in the spelling of the Prefect server and its driver. */
import { resolve } from 'node:path';

const POSTGRES = /^postgres(?:ql)?(?:\+\w+)?:\/\//;

/** The problem with an address, or undefined. The empty text means the file in the home folder. */
export function databaseUrlProblem(value: string): string | undefined {
  if (value === '') return undefined;
  if (/^sqlite\+/.test(value)) {
    return `is the address of a Prefect server's own database, which Signalbox cannot use. Unset it for a new database in the home folder, or set SIGNALBOX_DATABASE_URL to sqlite:<file> or postgres://<host>/<database>`;
  }
  if (/^sqlite:.*:memory:/.test(value)) return 'must name a file: a database in memory is gone at each stop';
  if (/^sqlite:\/\/(?!\/)/.test(value)) return 'must be sqlite:<file>, or sqlite:///<file> with three slashes';
  const file = /^sqlite:(?:\/\/\/)?(.+)$/.exec(value)?.[1];
  if (file?.startsWith('file:') || file?.includes('?')) return 'must be sqlite:<file>, without file: and parameters';
  if (file?.startsWith('~')) return 'must have the whole path in place of ~, which only a shell replaces';
  if (file?.endsWith('/')) return 'must name a file, not a folder';
  if (file !== undefined) return undefined;
  if (!POSTGRES.test(value)) return 'must start with sqlite: or postgres://';
  const namesDatabase = /^[^/]*\/[^/?#]+/.test(value.replace(POSTGRES, ''));
  return namesDatabase ? undefined : 'must name a database, like postgres://user:password@host:5432/database';
}

/**
 * The address in the form of our drivers: `postgres://` without the driver of Python, and `ssl=` as `sslmode=`. The
 * driver treats the modes below `verify-full` like `verify-full` and warns about this at each start, so that mode is
 * named.
 */
export function databaseUrlOf(value: string): string {
  if (!POSTGRES.test(value)) return value;
  const address = value
    .replace(POSTGRES, 'postgres://')
    .replace(/([?&])ssl=(?=(?:disable|allow|prefer|require|verify-ca|verify-full)(?:&|$))/, '$1sslmode=');
  if (/[?&]uselibpqcompat=true/.test(address)) return address;
  return address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** The file of an `sqlite:` address. */
export function sqliteFileOf(url: string): string | undefined {
  return /^sqlite:(?:\/\/\/)?(.+)$/.exec(url)?.[1];
}

/** The address with the path of its file resolved against `folder`. */
export function absoluteDatabaseUrl(url: string, folder: string): string {
  const file = sqliteFileOf(url);
  return file === undefined ? url : `sqlite:${resolve(folder, file)}`;
}
