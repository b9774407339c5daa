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
  for (const { table, columns, statement } of unexamined.splice(0)) {
    if (columns.length === 0) continue;
    const { sql, parameters } = statement.bind(store.dialect, {}, { workspace: 1 });
    const plan = await raw.execute(
      `explain query plan ${sql}`,
      parameters.map((value) => value ?? null),
    );
    const steps = plan.map(({ detail }) => String(detail));
    const scan = steps.find((step) => /^SCAN /.test(step) && !/USING (COVERING )?INDEX/.test(step));
    assert.equal(scan, undefined, `No index finds the rows of ${table} by ${columns.join(' and ')}: ${sql}`);
  }
}
