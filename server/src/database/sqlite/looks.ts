/**
 * Looks of SQLite: a number that changes with each commit of any process costs as much as the smallest query, so each
 * request looks, and no change has to wait.
 */
import type { Look } from '../kept-facts.ts';
import type { SqliteConnection } from './connection.ts';

const FIND_VERSION = 'select version from access_version';

/** Notices every commit. */
export class CommitLook implements Look {
  readonly #connection: SqliteConnection;
  #mark: number | undefined;
  epoch = 0;

  /** `connection` only reads: for it, commits of this process are those of another connection. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  isFresh(): boolean {
    const mark = this.#connection.dataVersion();
    if (mark !== this.#mark) {
      this.#mark = mark;
      this.epoch += 1;
    }
    return true;
  }
}

/** Notices changes of access, and no other commits. */
export class AccessLook implements Look {
  readonly #connection: SqliteConnection;
  readonly #commits: CommitLook;
  #commit = 0;
  #version: unknown;
  epoch = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#commits = new CommitLook(connection);
  }

  isFresh(): boolean {
    this.#commits.isFresh();
    if (this.#commits.epoch === this.#commit) return true;
    this.#commit = this.#commits.epoch;
    const version = this.#connection.first(FIND_VERSION, [])?.['version'];
    if (version !== this.#version) {
      this.#version = version;
      this.epoch += 1;
    }
    return true;
  }
}
