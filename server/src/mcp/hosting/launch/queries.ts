import { sql } from 'kysely';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { JsonText } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';

export interface PlanRow {
  readonly connection: JsonText;
  readonly connection_version: number;
  readonly deployment_id: string | null;
  readonly build_id: string | null;
  readonly launch: JsonText | null;
  readonly resolved: JsonText | null;
  readonly variables: number;
  readonly variables_updated: Timestamp | null;
  /** Set while the server must not run. */
  readonly stopped_at: Timestamp | null;
}

/** The plan of a hosted server for its next start; undefined when the server does not exist. */
export const findPlan = platformStatement<{ id: string }, PlanRow>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .leftJoin('server_deployment', (join) =>
        join.onRef('server_deployment.server_id', '=', 'mcp_server.id').on('server_deployment.status', '=', 'live'),
      )
      .leftJoin('server_build', 'server_build.id', 'server_deployment.build_id')
      .where('mcp_server.id', '=', given.id)
      .where('mcp_server.kind', '=', 'hosted')
      .select((eb) => [
        'mcp_server.connection',
        'mcp_server.connection_version',
        'mcp_server.stopped_at',
        'server_deployment.id as deployment_id',
        'server_build.id as build_id',
        'server_build.launch',
        'server_build.resolved',
        eb
          .selectFrom('server_variable')
          .whereRef('server_variable.server_id', '=', 'mcp_server.id')
          .select(sql<number>`count(*)`.as('count'))
          .as('variables'),
        eb
          .selectFrom('server_variable')
          .whereRef('server_variable.server_id', '=', 'mcp_server.id')
          .select((max) => max.fn.max('server_variable.updated').as('updated'))
          .as('variables_updated'),
      ]) as never,
);

/** The builds of all live deployments. */
export const listLiveBuilds = platformStatement<
  Record<string, never>,
  { server_id: string; slug: string; build_id: string; launch: JsonText | null }
>((query) =>
  query
    .selectFrom('server_deployment')
    .innerJoin('mcp_server', 'mcp_server.id', 'server_deployment.server_id')
    .innerJoin('server_build', 'server_build.id', 'server_deployment.build_id')
    .where('server_deployment.status', '=', 'live')
    .select(['mcp_server.id as server_id', 'mcp_server.slug', 'server_build.id as build_id', 'server_build.launch'])
    .orderBy('mcp_server.slug'),
);

/** Changes whenever a value changes with which a process was started. */
export function versionOf(plan: PlanRow): string {
  return [plan.deployment_id, plan.connection_version, plan.variables, plan.variables_updated, plan.stopped_at].join(
    ' ',
  );
}

export type VariableRow = Row<'server_variable'>;

export const listVariables = platformStatement<
  { server_id: string },
  Pick<VariableRow, 'name' | 'encrypted_value' | 'sensitive'>
>((query, given) =>
  query
    .selectFrom('server_variable')
    .where('server_id', '=', given.server_id)
    .select(['name', 'encrypted_value', 'sensitive'])
    .orderBy('name'),
);

/** Keeps the latest `kept` lines of a server. */
export const trimProcessLogs = platformStatement<{ server_id: string; kept: number }, unknown>((query, given) =>
  query
    .deleteFrom('server_process_log')
    .where('server_id', '=', given.server_id)
    .where('id', '<', (eb) =>
      eb
        .selectFrom('server_process_log as newer')
        .where('newer.server_id', '=', given.server_id)
        .select('newer.id')
        .orderBy('newer.id', 'desc')
        .limit(1)
        .offset(given.kept),
    ),
);
