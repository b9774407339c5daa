/** A transaction for a dry run: it reads, and does not write what it is asked to. */
import type { Db, Tx } from '../database/store.ts';

export function readingOnly(db: Db): Tx {
  return {
    dialect: db.dialect,
    workspace: db.workspace,
    all: db.all.bind(db),
    first: db.first.bind(db),
    query: db.query.bind(db),
    run: async () => 0,
    execute: async () => 0,
    insertAll: async () => {},
    later: () => {},
    afterCommit: () => {},
    lock: async () => {},
  };
}
