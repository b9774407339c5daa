/**
 * Measures the search in log lines over all runs of a workspace: the first page of searches for frequent, rare and absent
 * words, and the disk that lines and their index take.
 *
 *   node bench/log-search.ts --database postgres --lines 10000000
 */
import { parseArgs } from 'node:util';
import { insertLogs } from '../server/src/orchestration/logs/queries.ts';
import { indexLines } from '../server/src/orchestration/logs/search/blocks.ts';
import { newId, newTimeOrderedId } from '../server/src/values/id.ts';
import { addSeconds, systemClock } from '../server/src/values/time.ts';
import { vacuum } from '../server/test/support/postgres.ts';
import { startServer } from '../server/test/support/server.ts';
import { messageAt } from './log-messages.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    lines: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '20' },
    /** Lines that a process sends at once: those of two seconds. */
    batch: { type: 'string', default: '20' },
  },
});
const LINES = Number(values.lines);
const BATCH = Number(values.batch);
const BATCHES_OF_RUN = 20;
const RUNS_OF_TRANSACTION = 50;
/** Fewer lines are of a shorter time, so that as many arrive in a second. */
const DAYS = (30 * LINES) / 10_000_000;
const now = systemClock.now();
const database = values.database as 'sqlite' | 'postgres';

const server = await startServer({ database });
const context = server.context();
const flows = await Promise.all(
  Array.from({ length: 20 }, async (_, index) => (await server.post('/flows/', { name: `flow-${index}` })).body.id),
);

let made = 0;
const began = performance.now();
while (made < LINES) {
  await context.transaction(async (tx) => {
    for (let run = 0; run < RUNS_OF_TRANSACTION && made < LINES; run++) {
      const flow_run_id = newId();
      for (let batch = 0; batch < BATCHES_OF_RUN && made < LINES; batch++) {
        const lines = Array.from({ length: BATCH }, (_, line) => {
          const index = made + line;
          const timestamp = addSeconds(now, (index / LINES - 1) * DAYS * 86_400);
          const level = index % 5000 === 3 || index % 1_000_000 === 77 ? 40 : 20;
          return {
            id: newTimeOrderedId(),
            name: 'prefect.flow_runs',
            level,
            message: messageAt(index),
            timestamp,
            flow_run_id,
            task_run_id: null,
          };
        });
        await insertLogs(tx, now, lines);
        await indexLines(tx, lines);
        made += lines.length;
      }
    }
  });
  if (made % 1_000_000 < BATCH * BATCHES_OF_RUN * RUNS_OF_TRANSACTION) {
    console.error(`${made} lines, ${Math.round((performance.now() - began) / 1000)} s`);
  }
}
// Runs of a flow, for the conditions on it.
for (const flow_id of flows) await server.post('/flow_runs/', { flow_id, name: 'run' });
if (database === 'postgres') await vacuum(server.server.config.databaseUrl);
await server.server.store.refreshStatistics();

const sizes = await server.server.store.tableSizes();
for (const [table, bytes] of [...sizes].filter(([name]) => name.startsWith('log'))) {
  console.log(`${table}: ${Math.round(bytes / 1e6)} MB, ${(bytes / made).toFixed(1)} bytes a line`);
}

const questions: Readonly<Record<string, object>> = {
  everything: {},
  'a word of every seventh line': { q: 'heartbeat' },
  'a beginning of most words': { q: 'com' },
  'two frequent words': { q: 'customer balance' },
  'a word of 1 in 5,000 lines': { q: 'connectionreseterror' },
  'a word of 1 in 1,000,000 lines': { q: 'quarantined' },
  'a number of few lines': { q: '104729' },
  'a phrase': { q: '"reset by peer"' },
  'no line': { q: 'nonexistent' },
  'two frequent words that never meet': { q: 'heartbeat customer' },
  errors: { where: [{ field: 'level', values: ['error'] }] },
  'a rare word of two thirds ago': { q: 'quarantined', until: addSeconds(now, (-2 / 3) * DAYS * 86_400) },
  'a part of words within a day': { q: 'artbea', match: 'parts', since: addSeconds(now, -86_400), until: now },
  'a part of no line within a day': { q: 'qqq', match: 'parts', since: addSeconds(now, -86_400), until: now },
};
const percentile = (times: readonly number[], part: number) =>
  Math.round(times.toSorted((one, other) => one - other)[Math.ceil(times.length * part) - 1]!);
for (const [name, question] of Object.entries(questions)) {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    const start = performance.now();
    const { status, body, text } = await server.post('/views/logs', question);
    times.push(performance.now() - start);
    if (status !== 200) throw new Error(text);
    found = body.lines.length;
  }
  console.log(
    `${name.padEnd(36)} ${String(found).padStart(3)} lines, p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms`,
  );
}
await server.stop();
process.exit(0);
