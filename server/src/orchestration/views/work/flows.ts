/** Flows with their last runs and their next runs. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { always } from '../../../database/dialect/dialect.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { flows } from '../../lookups/flows.ts';
import type { FlowsViewBody } from './flows-schema.ts';
import { MOST_COUNTED } from './flows-schema.ts';
import { afterPosition, pageOf } from './named-page.ts';
import { findNextRuns, listLastRuns, rowsOf } from './recent-runs.ts';

const RUNS_IN_LIST = 16;
const RUNS_OF_ONE = 50;

interface StoredFlow {
  readonly id: string;
  readonly name: string;
  readonly created: Timestamp;
  readonly tags: JsonText;
}

export async function readFlowsView(context: Context, body: FlowsViewBody) {
  const found = await listFlows(context.db, body);
  const { rows, next } = pageOf(found, body.limit);
  return { as_of: context.now, flows: await withRuns(context, rows, RUNS_IN_LIST), next };
}

/** Undefined when the flow does not exist. */
export async function readFlowView(context: Context, id: string) {
  const row = await flows.first(context.db, { id });
  const [flow] = row ? await withRuns(context, [row], RUNS_OF_ONE) : [];
  return flow && { as_of: context.now, ...flow };
}

function listFlows(db: Db, { name, tag, after, limit }: FlowsViewBody): Promise<StoredFlow[]> {
  const { dialect } = db;
  return db.query(
    sql<StoredFlow>`select flow.id, flow.name, flow.created, flow.tags from flow
      where flow."workspace" = ${db.workspace} and flow.removed is null
        and ${name ? dialect.containsLiterally(sql`flow.name`, name) : always}
        and ${tag ? dialect.holdsAll(sql`flow.tags`, [tag]) : always}
        and ${afterPosition(sql`flow.name`, sql`flow.id`, after)}
      order by flow.name, flow.id limit ${limit + 1}`,
  );
}

interface FlowCounts {
  readonly id: string;
  readonly deployments: number;
  readonly runs: number;
}

const countsOfFlows = statement<{ ids: string }, FlowCounts>(
  (_query, given, dialect) =>
    sql<FlowCounts>`select asked.id,
        (select count(*) from deployment where deployment."workspace" = ${given.workspace}
          and deployment.flow_id = asked.id) as deployments,
        (select count(*) from (select 1 from flow_run where flow_run."workspace" = ${given.workspace}
          and flow_run.flow_id = asked.id limit ${sql.lit(MOST_COUNTED)}) counted) as runs
      from ${dialect.rowsFrom(given.ids, { id: 'uuid' })} asked`,
);

async function withRuns({ db, now }: Context, flows: readonly StoredFlow[], most: number) {
  const ids = flows.map(({ id }) => id);
  const [counts, last, next] = await Promise.all([
    db.all(countsOfFlows, { ids: rowsOf(ids) }),
    listLastRuns(db, 'flow', ids, most, now),
    findNextRuns(db, 'flow', ids, now),
  ]);
  const countsBy = new Map(counts.map((row) => [row.id, row]));
  return flows.map((flow) => ({
    ...flow,
    deployments: countsBy.get(flow.id)?.deployments ?? 0,
    runs: countsBy.get(flow.id)?.runs ?? 0,
    last_runs: last.get(flow.id) ?? [],
    next_run: next.get(flow.id) ?? null,
  }));
}
