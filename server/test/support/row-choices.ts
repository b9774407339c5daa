/** Which index serves each choice of columns that `rows` has made in this process. */
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import type { Choice } from '../../src/database/rows.ts';
import type { RawConnection, Store } from '../../src/database/store.ts';

const unexamined: Choice[] = [];
subscribe('signalbox:rows', (choice) => unexamined.push(choice as Choice));

/**
 * Asserts that no choice made since the last call reads a whole table. SQLite tells this for empty tables too; the indexes
 * of PostgreSQL are the same.
 */
export async function assertIndexed(store: Store): Promise<void> {
  if (store.dialect.name !== 'sqlite') return;
  const { raw } = store as Store & { readonly raw: RawConnection };
  const choices = unexamined.splice(0).filter(({ columns }) => columns.length > 0);
  if (choices.length === 0) return;
  // With statistics of a few rows, reading the whole table is the better plan.
  await raw.execute('analyze');
  await raw.execute('delete from sqlite_stat1');
  await raw.execute('analyze sqlite_schema');
  for (const { table, columns, statement } of choices) {
    const { sql, parameters } = statement.bind(store.dialect, {}, { workspace: 1 });
    const plan = await raw.execute(
      `explain query plan ${sql}`,
      parameters.map((value) => value ?? null),
    );
    const steps = plan.map(({ detail }) => String(detail));
    const scan = steps.find((step) => step.startsWith(`SCAN ${table}`) && !/USING (COVERING )?INDEX/.test(step));
    assert.equal(scan, undefined, `No index finds the rows of ${table} by ${columns.join(' and ')}: ${sql}`);
  }
}
