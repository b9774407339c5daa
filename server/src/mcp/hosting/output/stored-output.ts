/** The two logs of output, with the same columns: lines of builds and lines of hosted servers. */
import { sql } from 'kysely';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { OutputStream } from '../boundary/host.ts';

/** A line that is not yet stored. */
interface NewLine {
  readonly occurred: Timestamp;
  readonly stream: OutputStream;
  readonly message: string;
}

interface LogLine extends NewLine {
  readonly id: string;
}

/** Lines of an owner between two ids, exclusive, at most `limit`. */
interface Range {
  readonly owner_id: string;
  readonly after: string;
  readonly before: string;
  readonly limit: number;
}

function storedOutput(table: 'server_build_log' | 'server_process_log', owner: 'build_id' | 'server_id') {
  const lines = sql.table(table);
  const ownerId = sql.ref(owner);
  /** `lines` is a JSON array of LogLine. */
  const insert = platformStatement<{ owner_id: string; lines: string }, unknown>(
    (_query, given, dialect) =>
      sql`insert into ${lines} (id, ${ownerId}, occurred, stream, message)
          select id, ${dialect.typed(given.owner_id, 'uuid')}, occurred, stream, message
          from ${dialect.rowsFrom(given.lines, { id: 'uuid', occurred: 'timestamp', stream: 'text', message: 'text' })} item`,
  );
  const read = (order: 'asc' | 'desc') =>
    platformStatement<Range, LogLine>(
      (_query, given) =>
        sql<LogLine>`select id, occurred, stream, message from ${lines}
          where ${ownerId} = ${given.owner_id} and id > ${given.after} and id < ${given.before}
          order by id ${sql.raw(order)} limit ${given.limit}`,
    );
  return {
    /** The first and the last lines of a range, each in the order from its end. */
    oldest: read('asc'),
    newest: read('desc'),
    /**
     * Each line gets its id here, because a reader that continues after an id would never see a line that was printed
     * before it but stored after it.
     */
    insert: (tx: PlatformTx, owner: string, printed: readonly NewLine[]) =>
      tx.run(insert, {
        owner_id: owner,
        lines: JSON.stringify(printed.map((line) => ({ id: newTimeOrderedId(), ...line }))),
      }),
  };
}

export type StoredOutput = ReturnType<typeof storedOutput>;
export const buildOutput = storedOutput('server_build_log', 'build_id');
export const processOutput = storedOutput('server_process_log', 'server_id');
