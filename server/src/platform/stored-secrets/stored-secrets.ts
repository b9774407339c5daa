/** All columns of the database that hold encrypted text. A test finds columns that are missing here. */
import { type RawBuilder, sql } from 'kysely';
import { type PlatformStatement, platformStatement } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';

export interface StoredSecret {
  readonly workspace: number;
  readonly id: string;
  readonly encrypted: string;
}

export interface SecretColumn {
  readonly table: string;
  readonly column: string;
  readonly isJson: boolean;
  /** At most `limit` secrets that do not begin with the prefix, past a position, in order. */
  readonly next: PlatformStatement<{ prefix: string; workspace_key: number; id: string; limit: number }, StoredSecret>;
  readonly countWithout: PlatformStatement<{ prefix: string }, { readonly count: number }>;
  readonly countWith: PlatformStatement<{ prefix: string }, { readonly count: number }>;
  /** Changes a secret unless it has changed since it was read. */
  readonly replace: PlatformStatement<StoredSecret & { workspace_key: number; replacement: string }, unknown>;
}

interface Place {
  readonly table: string;
  readonly column: string;
  /** The column that identifies the rows within a workspace. */
  readonly id: string;
  /** True for tables above workspaces. */
  readonly isPlatform?: boolean;
  /** The column holds the text as JSON. */
  readonly isJson?: boolean;
  /** The rows that contain secrets; absent: all. */
  readonly only?: RawBuilder<unknown>;
}

function secretColumn(given: Place): SecretColumn {
  const { table, column, id, isPlatform = false, isJson = false, only = sql`1 = 1` } = given;
  const owner = isPlatform ? sql`0` : sql.ref('workspace');
  const place = sql.ref(column);
  const text = isJson ? sql`trim(cast(${place} as text), '"')` : place;
  const key = sql`cast(${sql.ref(id)} as text)`;
  const from = sql`from ${sql.table(table)}`;
  return {
    table,
    column,
    isJson,
    next: platformStatement(
      (_, given) => sql`select ${owner} as workspace, ${key} as id, ${text} as encrypted ${from}
        where ${only} and ${text} not like ${given.prefix}
          and (${owner} > ${given.workspace_key} or (${owner} = ${given.workspace_key} and ${key} > ${given.id}))
        order by 1, 2 limit ${given.limit}`,
    ),
    countWithout: platformStatement(
      (_, given) => sql`select count(*) as count ${from} where ${only} and ${text} not like ${given.prefix}`,
    ),
    countWith: platformStatement(
      (_, given) => sql`select count(*) as count ${from} where ${only} and ${text} like ${given.prefix}`,
    ),
    replace: platformStatement(
      (_, given) => sql`update ${sql.table(table)} set ${place} = ${given.replacement}
        where ${owner} = ${given.workspace_key} and ${key} = ${given.id} and ${only} and ${text} = ${given.encrypted}`,
    ),
  };
}

export const secretColumns: readonly SecretColumn[] = [
  secretColumn({ table: 'block_document', column: 'encrypted_data', id: 'id' }),
  secretColumn({ table: 'webhook', column: 'encrypted_signature_secret', id: 'id' }),
  secretColumn({ table: 'mcp_server', column: 'encrypted_credential', id: 'id', isPlatform: true }),
  secretColumn({ table: 'mcp_server', column: 'encrypted_client_secret', id: 'id', isPlatform: true }),
  secretColumn({ table: 'upstream_client', column: 'encrypted_client', id: 'server_id', isPlatform: true }),
  secretColumn({ table: 'upstream_credential', column: 'encrypted_secret', id: 'id', isPlatform: true }),
  secretColumn({ table: 'server_variable', column: 'encrypted_value', id: 'id', isPlatform: true }),
  secretColumn({ table: 'server_build', column: 'encrypted_environment', id: 'id', isPlatform: true }),
  secretColumn({
    table: 'configuration',
    column: 'value',
    id: 'key',
    isJson: true,
    only: sql`key = 'encryption-key-check'`,
  }),
];

export async function countSecrets(
  db: PlatformDb,
  statement: 'countWithout' | 'countWith',
  prefix: string,
): Promise<number> {
  let count = 0;
  for (const column of secretColumns) count += Number((await db.first(column[statement], { prefix }))?.count ?? 0);
  return count;
}
