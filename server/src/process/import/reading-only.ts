/** A transaction for a dry run: it reads, and skips writes. */
import type { Statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';

export function readingOnly(db: Db): Tx {
  /** A statement that writes can also return rows. */
  const isReading = (statement: Statement<never, unknown>, [given = {}]: readonly unknown[]) =>
    /^\s*(select|with)\b/i.test(statement.bind(db.dialect, given as never, { workspace: db.workspace }).sql);
  return {
    dialect: db.dialect,
    workspace: db.workspace,
    all: async (statement, ...given) => (isReading(statement, given) ? db.all(statement, ...given) : []),
    first: async (statement, ...given) => (isReading(statement, given) ? db.first(statement, ...given) : undefined),
    query: db.query.bind(db),
    run: async () => 0,
    execute: async () => 0,
    insertAll: async () => {},
    later: () => {},
    afterCommit: () => {},
    lock: async () => {},
    alone: () => {},
  };
}
