/**
 * Compares the cost of compiling a query with the cost of running it: the reason why queries of a fixed shape are
 * `statement`s.
 *
 *   node bench/statements.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../server/src/database/opening/connect.ts';
import { compileQuery, statement } from '../server/src/database/statement.ts';
import { ensureDefaultWorkspace } from '../server/src/database/workspaces.ts';
import { flowRunCondition } from '../server/src/orchestration/filters/related-conditions.ts';
import { listFlowRuns } from '../server/src/orchestration/runs/flow-runs/list-queries.ts';
import { systemClock } from '../server/src/values/time.ts';

const home = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const store = await openStore(`sqlite:${join(home, 'signalbox.db')}`);
const workspace = await ensureDefaultWorkspace(store, systemClock);
const db = store.reads(workspace);
const { dialect } = store;
const id = '00000000-0000-4000-8000-000000000000';

const byId = statement<{ id: string }, unknown>((query, given) =>
  query.selectFrom('flow').selectAll().where('workspace', '=', given.workspace).where('id', '=', given.id),
);
const filters = {
  flow_runs: { state: { type: { any_: ['COMPLETED', 'FAILED'] } }, tags: { all_: ['a'] }, name: { like_: 'x' } },
  flows: { id: { any_: [id] } },
};

const rows: [string, () => unknown][] = [
  ['statement: bind', () => byId.bind(dialect, { id }, { workspace })],
  ['statement: bind and run', () => db.first(byId, { id })],
  [
    'builder: compile',
    () =>
      compileQuery(
        dialect.builder.selectFrom('flow').selectAll().where('workspace', '=', workspace).where('id', '=', id),
        dialect,
      ),
  ],
  [
    'builder: compile and run',
    () =>
      db.query(dialect.builder.selectFrom('flow').selectAll().where('workspace', '=', workspace).where('id', '=', id)),
  ],
  ['filter of four criteria: condition', () => flowRunCondition(filters, dialect)],
  [
    'filter of four criteria: compile and run',
    () => listFlowRuns(db, filters, { sort: 'ID_DESC', limit: 10, offset: 0 }),
  ],
];

for (const [name, work] of rows) {
  for (let warm = 0; warm < 2000; warm++) await work();
  const samples: number[] = [];
  for (let sample = 0; sample < 5; sample++) {
    const started = performance.now();
    for (let count = 0; count < 4000; count++) await work();
    samples.push(((performance.now() - started) / 4000) * 1000);
  }
  samples.sort((left, right) => left - right);
  console.log(
    `${name.padEnd(44)} ${samples[2]?.toFixed(1).padStart(8)} µs (min ${samples[0]?.toFixed(1)}, max ${samples[4]?.toFixed(1)})`,
  );
}
await store.close();
rmSync(home, { recursive: true });
