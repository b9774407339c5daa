/**
 * Limits the bytes of one answer about blocks. Such an answer is composed of whole values (decrypted, with nested
 * blocks in place), so the large values of a list cannot be omitted and read later.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../database/store.ts';
import { Unprocessable } from '../../errors.ts';

/** Limit for the values that are read for the answer. */
const MOST_READ_MEGABYTES = 16;
/** Limit for the answer, which repeats the type and the schema in each document. */
const MOST_SENT_MEGABYTES = 32;

interface MeasuredQuery {
  readonly columns: RawBuilder<unknown>;
  /** `from … where …`, with the order of a page and its limit. */
  readonly rows: RawBuilder<unknown>;
  /** The columns whose texts may be long. */
  readonly long: readonly string[];
  /** `order by …`, if it is not in `rows`. */
  readonly order?: RawBuilder<unknown>;
}

/** The bytes that are left for one step of an answer, such as reading the nested documents. */
export class AnswerBytes {
  readonly #megabytes: number;
  #left: number;

  private constructor(megabytes: number) {
    this.#megabytes = megabytes;
    this.#left = megabytes * 1024 * 1024;
  }

  static toRead(): AnswerBytes {
    return new AnswerBytes(MOST_READ_MEGABYTES);
  }

  static toSend(): AnswerBytes {
    return new AnswerBytes(MOST_SENT_MEGABYTES);
  }

  /** Throws Unprocessable when the answer would become too large. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) {
      throw new Unprocessable(
        `The blocks have more than ${this.#megabytes} MB, which is too much for one answer. Request fewer with a smaller limit or a filter.`,
      );
    }
  }

  /** Reads the rows after measuring their long texts and counting them. Throws Unprocessable like `take`. */
  async read<Row>(db: Db, { columns, rows, long, order = sql`` }: MeasuredQuery): Promise<Row[]> {
    const lengths = long.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
    const [found] = await db.query(
      sql<{ bytes: number }>`select cast(coalesce(sum(bytes), 0) as bigint) as bytes
        from (select ${sql.join(lengths, sql` + `)} as bytes ${rows}) found`,
    );
    this.take(found?.bytes ?? 0);
    return db.query(sql<Row>`select ${columns} ${rows} ${order}`);
  }
}

/** The bytes of a row whose texts an answer repeats unchanged. */
export function bytesOfRow(row: object | null | undefined): number {
  let bytes = 0;
  for (const value of Object.values(row ?? {})) if (typeof value === 'string') bytes += value.length;
  return bytes;
}
