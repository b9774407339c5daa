import { sql } from 'kysely';
import type { Config } from '../../../config.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { ServerRow } from '../server/queries.ts';

/** A manifest is valid while the connection to the server is the one over which it was read. */
type Asked = Pick<ServerRow, 'id' | 'connection_version'>;

export const updateManifest = platformStatement<Asked & Pick<ServerRow, 'manifest'> & { now: Timestamp }, ServerRow>(
  (query, given) =>
    query
      .updateTable('mcp_server')
      .set((eb) => ({
        manifest: given.manifest,
        manifest_version: eb('manifest_version', '+', 1),
        manifest_read_at: given.now,
        manifest_error: null,
      }))
      .where('id', '=', given.id)
      .where('connection_version', '=', given.connection_version)
      .returningAll(),
);

/**
 * Claims the server that has waited longest. A hosted one continues to wait while it has no live deployment,
 * authenticates its callers itself, or would run where hosting is off. It is due again at `until`, unless it has been
 * read by then.
 */
export const claimDueManifest = platformStatement<
  { now: Timestamp; until: Timestamp; hosting: Config['hosting'] },
  ServerRow
>((query, given, dialect) =>
  query
    .updateTable('mcp_server')
    .set({ manifest_due: given.until })
    .where(
      'id',
      // Uses `=` instead of `in`: PostgreSQL may evaluate a list again for each row, and each evaluation would claim
      // another server.
      '=',
      sql<string>`(select id from mcp_server
        where manifest_due <= ${given.now} and authentication <> 'none' and (kind in ('external', 'remix') or
          (${given.hosting} <> 'off' and exists (select 1 from server_deployment
            where server_deployment.server_id = mcp_server.id and server_deployment.status = 'live')))
        order by manifest_due limit 1 ${dialect.forUpdateSkipLocked})`,
    )
    .returningAll(),
);

/** Replaces `known` by `due`, unless the manifest became due again in the meantime. */
export const settleManifestDue = platformStatement<Asked & { known: Timestamp | null; due: Timestamp | null }, unknown>(
  (query, given) =>
    query
      .updateTable('mcp_server')
      .set((eb) => ({ manifest_due: eb.val(given.due) }))
      .where('id', '=', given.id)
      .where('connection_version', '=', given.connection_version)
      .where((eb) => eb('manifest_due', 'is not distinct from', eb.val(given.known))),
);
