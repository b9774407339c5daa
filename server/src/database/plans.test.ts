import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { databases, startServer, type TestServer } from '../../test/support/server.ts';
import { criteriaOf, type EventCriteria } from '../events/criteria.ts';
import { eventFieldNames } from '../events/fields.ts';
import { listEvents } from '../events/queries.ts';
import type { RelatedFilters } from '../orchestration/filters/related-conditions.ts';
import { countFlowRuns, listFlowRuns } from '../orchestration/runs/flow-runs/list-queries.ts';
import type { FlowRunSort } from '../orchestration/runs/flow-runs/schema.ts';
import { readFlowRunHistory } from '../orchestration/runs/history/run-history.ts';
import { readFlowRunLateness } from '../orchestration/runs/history/run-lateness.ts';
import { flowRunFieldNames, flowRunNarrowing } from '../orchestration/views/narrowing/flow-run-fields.ts';
import { narrow } from '../orchestration/views/narrowing/narrow.ts';
import { taskRunFieldNames, taskRunNarrowing } from '../orchestration/views/narrowing/task-run-fields.ts';
import { readRunPage, readTaskRunPage } from '../orchestration/views/runs/runs.ts';
import { addSeconds, systemClock } from '../values/time.ts';
import { compileQuery, type Query } from './statement.ts';
import type { Db } from './store.ts';

/** Enough for PostgreSQL to look rows up one by one instead of reading all of them. */
const RUNS = 10_000;
const ended = { state: { type: { any_: ['COMPLETED', 'FAILED', 'CRASHED'] } } };

for (const database of databases) {
  describe(`query plans on ${database}`, () => {
    let server: TestServer;
    let flowId: string;
    before(async () => {
      server = await startServer({ database });
      flowId = (await server.post('/flows/', { name: 'busy' })).body.id;
      const { id } = (await server.post('/flow_runs/', { flow_id: flowId, tags: ['nightly'] })).body;
      const context = server.context();
      // Copies of one run, a minute apart.
      const columns = ['created', 'updated', 'name', 'flow_id', 'parameters', 'context', 'empirical_policy', 'tags'];
      const kept = sql.join([...columns, 'labels', 'total_run_time', 'auto_scheduled'].map((name) => sql.id(name)));
      const now = systemClock.now();
      const rows = Array.from({ length: RUNS }, (_, index) => ({
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        start: addSeconds(now, -60 * index),
      }));
      const item = context.db.dialect.rowsFrom(JSON.stringify(rows), { id: 'uuid', start: 'timestamp' });
      await context.transaction((tx) =>
        tx.execute(
          sql`insert into flow_run ("workspace", id, expected_start_time, start_time, end_time, state_type, state_name,
              run_count, ${kept})
            select "workspace", item.id, item.start, item.start, item.start, 'COMPLETED', 'Completed', 1, ${kept}
            from flow_run, ${item} item where flow_run."workspace" = ${tx.workspace} and flow_run.id = ${id}`,
        ),
      );
      // Each run has one task run.
      await context.transaction((tx) =>
        tx.execute(
          sql`insert into task_run ("workspace", id, flow_run_id, created, updated, name, task_key, dynamic_key,
              empirical_policy, tags, task_inputs, run_count, flow_run_run_count, total_run_time, expected_start_time,
              start_time, end_time, state_type, state_name)
            select "workspace", id, id, created, updated, name, 'load', '0', '{}', '[]', '{}', 1, 1, 0,
              expected_start_time, start_time, end_time, state_type, state_name
            from flow_run where "workspace" = ${tx.workspace}`,
        ),
      );
      // Each run has an event, a minute apart too.
      await context.transaction((tx) =>
        tx.execute(
          sql`insert into event ("workspace", id, occurred, received, event, resource_id, resource, related, payload)
            select "workspace", id, expected_start_time, expected_start_time, 'prefect.flow-run.Completed',
              'prefect.flow-run.busy', '{"prefect.resource.id": "prefect.flow-run.busy"}', '[]', '{}'
            from flow_run where "workspace" = ${tx.workspace}`,
        ),
      );
      await server.server.store.refreshStatistics();
      if (database === 'postgres') {
        await context.transaction((tx) => tx.execute(sql`analyze flow_run, task_run, event -- "workspace"`));
      }
    });
    after(() => server.stop());

    /** The plans of the queries that `ask` runs, one line per step. */
    async function plansOf(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
      const { db } = server.context();
      const asked: Query<unknown>[] = [];
      const watched: Db = {
        dialect: db.dialect,
        workspace: db.workspace,
        all: (statement, ...parameters) => db.all(statement, ...parameters),
        first: (statement, ...parameters) => db.first(statement, ...parameters),
        query: (query) => {
          asked.push(query);
          return db.query(query);
        },
      };
      await ask(watched);
      const prefix = database === 'sqlite' ? 'explain query plan' : 'explain';
      const plans: string[] = [];
      for (const query of asked) {
        assert.ok(compileQuery(query, db.dialect).sql);
        const steps = await db.query(sql<Record<string, string>>`${sql.raw(prefix)} ${query as RawBuilder<unknown>}`);
        plans.push(...steps.map((step) => step['detail'] ?? step['QUERY PLAN'] ?? ''));
      }
      assert.ok(plans.length > 0);
      return plans;
    }

    const readsEveryRow = (step: string, steps: readonly string[]) =>
      // A subquery has the name `event`.
      !steps.includes(step.replace('SCAN', 'CO-ROUTINE')) &&
      /^SCAN (flow_run|task_run|event)\b|Seq Scan on (flow_run|task_run|event)\b/.test(step.trim());

    async function assertNoScan(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
      const steps = await plansOf(ask);
      // The wanted plan walks an index from its end, only as far as the page needs.
      const scans = steps.filter((step) => readsEveryRow(step, steps) && !/USING (COVERING )?INDEX/.test(step));
      assert.deepEqual(scans, [], steps.join('\n'));
      return steps;
    }
    const list = (filters: RelatedFilters, sort: FlowRunSort) => (db: Db) =>
      listFlowRuns(db, filters, { sort, limit: 200, offset: 0 });

    for (const sort of [
      'START_TIME_DESC',
      'START_TIME_ASC',
      'EXPECTED_START_TIME_DESC',
      'NAME_ASC',
      'END_TIME_DESC',
    ] as const) {
      test(`a page in the order ${sort} is read from an index, without sorting`, async () => {
        for (const filters of [{}, { flow_runs: ended }]) {
          const steps = await assertNoScan(list(filters, sort));
          // One sort remains: that of the rows of the page.
          const sorts = steps.filter((step) => /TEMP B-TREE FOR ORDER BY|Sort Key/.test(step));
          assert.ok(sorts.length <= 1, steps.join('\n'));
        }
      });
    }

    test('runs are found by an index when filtered by flow, tag, time span or ids', async () => {
      await assertNoScan(list({ flows: { id: { any_: [flowId] } } }, 'START_TIME_DESC'));
      await assertNoScan(list({ flow_runs: { tags: { all_: ['nightly'] } } }, 'START_TIME_DESC'));
      await assertNoScan(list({ flow_runs: { id: { any_: [flowId] } } }, 'ID_DESC'));
      const hour = { after_: addSeconds(systemClock.now(), -3600), before_: systemClock.now() };
      await assertNoScan((db) => countFlowRuns(db, { flow_runs: { ...ended, expected_start_time: hour } }));
    });

    test('a history of intervals that are too short for sums reads only an index', async () => {
      const end = systemClock.now();
      const span = { start: addSeconds(end, -3600), end, intervalSeconds: 60 };
      const steps = await assertNoScan((db) => readFlowRunHistory({ ...server.context(), db }, {}, span));
      const covered =
        database === 'sqlite'
          ? /COVERING INDEX ix_flow_run_state/
          : /Index (Only )?Scan \w*\s*using ix_flow_run_history/i;
      assert.match(steps.join('\n'), covered);
    });

    /** The span of a list, which the read window gives it where nobody chose one. */
    const lastDay = () => ({ expected_start_time: { after_: addSeconds(systemClock.now(), -86_400) } });
    const asking = (db: Db) => ({ ...server.context(), db });
    const page = { sort: 'START_TIME_DESC', limit: 50, after: null } as const;
    const valueFor: Readonly<Record<string, string>> = {
      flow: 'busy',
      state: 'failed',
      tries: '>1',
      duration: '>60',
      subflow: 'yes',
      failed: 'yes',
      task_runs: 'no',
    };
    /** With a value of the field, and without it. */
    const conditionsOn = (field: string) =>
      [false, true].map((not) => ({ field, not, values: [valueFor[field] ?? 'nightly'] }));

    for (const field of flowRunFieldNames) {
      test(`a list of flow runs that is narrowed by ${field} does not read every run`, async () => {
        for (const condition of conditionsOn(field)) {
          await assertNoScan(async (db) => {
            const filters = await narrow(asking(db), flowRunNarrowing, { flow_runs: lastDay() }, [condition]);
            await readRunPage(asking(db), filters, page);
          });
        }
      });
    }

    for (const field of taskRunFieldNames) {
      test(`a list of task runs that is narrowed by ${field} does not read every run`, async () => {
        for (const condition of conditionsOn(field)) {
          await assertNoScan(async (db) => {
            const filters = await narrow(asking(db), taskRunNarrowing, { task_runs: lastDay() }, [condition]);
            await readTaskRunPage(asking(db), filters, page);
          });
        }
      });
    }

    for (const field of eventFieldNames) {
      test(`a list of events that is narrowed by ${field} does not read every event`, async () => {
        for (const condition of conditionsOn(field)) {
          const hour = { since: addSeconds(systemClock.now(), -3600), until: systemClock.now() };
          const criteria = { ...criteriaOf(undefined, hour.until), occurred: hour, where: [condition] };
          await assertNoScan((db) => listEvents(db, criteria as EventCriteria, 50));
        }
      });
    }

    test('a page far down matches the whole list, and is read from the nearer end', async () => {
      const { db } = server.context();
      const idsOf = async (filters: RelatedFilters, sort: FlowRunSort, limit: number, offset: number) =>
        (await listFlowRuns(db, filters, { sort, limit, offset })).map(({ id }) => id);
      const deep = await assertNoScan((asked) =>
        listFlowRuns(asked, {}, { sort: 'START_TIME_DESC', limit: 200, offset: 8000 }),
      );
      assert.ok(deep.filter((step) => /TEMP B-TREE FOR ORDER BY|Sort Key/.test(step)).length <= 1, deep.join('\n'));
      assert.match(deep.join('\n'), /\bfar\b/, 'the page is counted from the other end');
      for (const sort of ['START_TIME_DESC', 'START_TIME_ASC', 'ID_DESC', 'NAME_ASC'] as const) {
        for (const filters of [{}, { flow_runs: ended }]) {
          const all = await idsOf(filters, sort, 2 * RUNS, 0);
          assert.ok(all.length >= RUNS);
          for (const offset of [2500, 7000, all.length - 10, all.length, all.length + 1, 3 * RUNS]) {
            const page = await idsOf(filters, sort, 20, offset);
            if (sort === 'NAME_ASC') assert.equal(page.length, Math.max(0, Math.min(20, all.length - offset)));
            else assert.deepEqual(page, all.slice(offset, offset + 20), `${sort} ${offset}`);
          }
        }
      }
    });

    test('a history and a lateness read sums, and only an index of the runs', async () => {
      const end = systemClock.now();
      const span = { start: addSeconds(end, -3600), end, intervalSeconds: 1200 };
      const hour = { flow_runs: { expected_start_time: { after_: span.start, before_: end } } };
      const context = server.context();
      for (const ask of [
        (db: Db) => readFlowRunHistory({ ...context, db }, {}, span),
        (db: Db) => readFlowRunLateness({ ...context, db }, hour),
      ]) {
        const steps = await assertNoScan(ask);
        const plan = steps.join('\n');
        if (database === 'sqlite') {
          assert.match(
            plan,
            /USING PRIMARY KEY \(workspace=\? AND placed_by=\? AND span_seconds=\? AND begins>\? AND begins<\?\)/,
          );
          assert.match(plan, /USING COVERING INDEX ix_flow_run_history \(workspace=\? AND expected_start_time>/);
          assert.doesNotMatch(plan, /SEARCH .* USING INDEX/);
        } else {
          assert.match(plan, /Index (Only )?Scan using ix_flow_run_sum/);
          assert.doesNotMatch(plan, /Seq Scan on flow_run_sum/);
          assert.match(plan, /Index (Only )?Scan using ix_flow_run_(history|state)/);
        }
      }
    });
  });
}
