/** Measures the size of an SQLite file on disk, and returns its free space to the disk. */
import { statSync } from 'node:fs';
import type { DatabaseSize } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** Free pages that the file keeps for new rows: this share of its pages, and at least this many. */
const SPARE_SHARE = 0.1;
const SPARE_PAGES = 2000;
/** Pages released at once, which takes a few milliseconds. */
const RELEASED_PAGES = 500;

export class SqliteSpace {
  readonly #file: string;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;

  constructor(file: string, writer: SqliteConnection, reader: SqliteConnection) {
    this.#file = file;
    this.#writer = writer;
    this.#reader = reader;
  }

  size(): DatabaseSize {
    const [facts] = this.#reader.all(
      'select page_size * freelist_count as free from pragma_page_size, pragma_freelist_count',
      [],
    );
    const bytes = [this.#file, `${this.#file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    return { bytes: bytes.reduce((sum, size) => sum + size, 0), freeBytes: Number(facts?.['free'] ?? 0) };
  }

  tableSizes(): ReadonlyMap<string, number> {
    const rows = this.#reader.all(
      `select coalesce(sqlite_schema.tbl_name, dbstat.name) as name, sum(dbstat.pgsize) as bytes
        from dbstat left join sqlite_schema on sqlite_schema.name = dbstat.name
        where dbstat.aggregate = true group by 1`,
      [],
    );
    return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]));
  }

  /** True if the file has more free space than it should keep. */
  isPlenty(): boolean {
    const pages = Number(this.#writer.all('pragma page_count', [])[0]?.['page_count'] ?? 0);
    return this.#freePages() > Math.max(SPARE_PAGES, pages * SPARE_SHARE) + RELEASED_PAGES;
  }

  /**
   * Releases some pages; outside a transaction. False if none could be released: the file was made without auto_vacuum.
   */
  release(): boolean {
    const before = this.#freePages();
    this.#writer.exec(`pragma incremental_vacuum(${RELEASED_PAGES})`);
    return this.#freePages() < before;
  }

  /** Rewrites the file; outside a transaction. */
  vacuum(): void {
    // Takes effect with the next statement, even for a file that was made without it.
    this.#writer.exec('pragma auto_vacuum = incremental');
    this.#writer.exec('vacuum');
    this.#writer.exec('pragma wal_checkpoint(truncate)');
  }

  #freePages(): number {
    return Number(this.#writer.all('pragma freelist_count', [])[0]?.['freelist_count'] ?? 0);
  }
}
