/** The plans of queries of the platform, as the database makes them. */
import assert from 'node:assert/strict';
import type { BoundQuery, PlatformStatement } from '../../src/database/statement.ts';
import type { PlatformDb } from '../../src/database/store.ts';

/** The plans of the queries that `ask` runs, one line for each step. The queries answer nothing. */
export async function platformPlansOf(db: PlatformDb, ask: (db: PlatformDb) => Promise<unknown>): Promise<string> {
  const prefix = db.dialect.name === 'sqlite' ? 'explain query plan' : 'explain';
  const plans: string[] = [];
  const explained = <P>(statement: PlatformStatement<P, unknown>): PlatformStatement<P, Record<string, string>> => ({
    isOfPlatform: true,
    bind: (...given): BoundQuery => {
      const bound = statement.bind(...given);
      return { ...bound, sql: `${prefix} ${bound.sql}`, prepare: false };
    },
  });
  const watched = {
    dialect: db.dialect,
    all: async <P>(statement: PlatformStatement<P, unknown>, parameters: P) => {
      const steps = await db.all(explained(statement), ...([parameters] as never));
      plans.push(...steps.map((step) => step['detail'] ?? step['QUERY PLAN'] ?? ''));
      return [];
    },
  };
  await ask(watched as unknown as PlatformDb);
  assert.ok(plans.length > 0);
  return plans.join('\n');
}
