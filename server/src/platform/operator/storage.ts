/**
 * The space of the database by table and by workspace, and the number of old rows. For operators, because it reads
 * every row.
 */
import { sql } from 'kysely';
import type { Config } from '../../config.ts';
import { platformQuery, platformStatement } from '../../database/statement.ts';
import type { Store } from '../../database/store.ts';
import { tables } from '../../database/tables/tables.ts';
import { terminalTypes } from '../../orchestration/runs/rows/state.ts';
import type { RetentionKind } from '../../settings/services.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';
import { named } from './counts.ts';

type None = Record<string, never>;

export interface StorageReport {
  readonly bytes: number;
  /** The part of them that is free for new rows; null if the database does not report it. */
  readonly freeBytes: number | null;
  /** Largest first. */
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[];
  /** Rows of the tables that grow with use, by `organization/handle`. */
  readonly workspaces: readonly ({ readonly workspace: string } & Readonly<Record<string, number | string>>)[];
  readonly retention: readonly RetentionReport[];
}

interface RetentionReport {
  readonly kind: RetentionKind;
  readonly isOn: boolean;
  readonly days: number;
  /** Number of rows older than that. */
  readonly old: number;
}

const OF_WORKSPACES = ['flow_run', 'task_run', 'log', 'event', 'artifact'] as const;
const DAY_SECONDS = 86_400;

const countRows = platformQuery<{ table: string }, { count: number }>(
  (_query, { table }) => sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`,
  { readsMuch: true },
);

const countOfWorkspaces = platformQuery<{ table: string }, { key: number; count: number }>(
  (_query, { table }) =>
    sql<{
      key: number;
      count: number;
    }>`select workspace as key, count(*) as count from ${sql.table(table)} group by workspace`,
  { readsMuch: true },
);

const listNames = platformStatement<None, { key: number; workspace: string }>(
  () => sql<{
    key: number;
    workspace: string;
  }>`select workspace.key, ${named} as workspace
    from workspace join organization on organization.id = workspace.organization_id order by 2`,
);

const oldRows = {
  events: sql`event where occurred < `,
  flow_runs: sql`flow_run where state_type in (${sql.join(terminalTypes.map((type) => sql.lit(type)))}) and end_time < `,
  logs: sql`log where timestamp < `,
  mcp_requests: sql`mcp_request where occurred < `,
} as const;

const countOld = platformQuery<{ kind: keyof typeof oldRows; before: Timestamp }, { count: number }>(
  (_query, { kind, before }) => sql<{ count: number }>`select count(*) as count from ${oldRows[kind]} ${before}`,
  { readsMuch: true },
);

export async function readStorage(store: Store, config: Config, now: Timestamp): Promise<StorageReport> {
  const db = store.platform.reads({ background: true });
  const { bytes, freeBytes = null } = await store.size();
  const sizes = await store.tableSizes();
  const counted = [];
  for (const table of Object.keys(tables).filter((name) => sizes.has(name))) {
    const row = await db.first(countRows, { table });
    counted.push({ table, rows: row?.count ?? 0, bytes: sizes.get(table) ?? 0 });
  }
  const workspaces = new Map<number, Record<string, number>>();
  for (const table of OF_WORKSPACES) {
    for (const { key, count } of await db.all(countOfWorkspaces, { table })) {
      workspaces.set(key, { ...workspaces.get(key), [table]: count });
    }
  }
  const none = Object.fromEntries(OF_WORKSPACES.map((table) => [table, 0]));
  const retention: RetentionReport[] = [];
  for (const [kind, seconds] of Object.entries(keptSeconds(config))) {
    const of = kind as keyof typeof oldRows;
    const row = await db.first(countOld, { kind: of, before: addSeconds(now, -seconds) });
    retention.push({ kind: of, isOn: config.retention.has(of), days: seconds / DAY_SECONDS, old: row?.count ?? 0 });
  }
  return {
    bytes,
    freeBytes,
    tables: counted.sort((left, right) => right.bytes - left.bytes),
    workspaces: (await db.all(listNames)).map(({ key, workspace }) => ({
      workspace,
      ...none,
      ...workspaces.get(key),
    })),
    retention,
  };
}

function keptSeconds(config: Config): Record<keyof typeof oldRows, number> {
  return {
    events: config.eventRetentionSeconds,
    flow_runs: config.runRetentionSeconds,
    logs: config.runRetentionSeconds,
    mcp_requests: config.mcpRequestRetentionSeconds,
  };
}
