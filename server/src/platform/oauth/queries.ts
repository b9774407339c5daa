import { rows } from '../../database/rows.ts';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';

type ClientRow = Row<'oauth_client'>;
type FlowRow = Row<'oauth_flow'>;

export const oauthClients = rows('oauth_client');
/** Includes expired and used ones, because the library decides what they mean. */
export const oauthTokens = rows('oauth_token');
export const oauthFlows = rows('oauth_flow');

/** Returns at most `limit` rows, so that counting costs no more. */
export const listUnusedClients = platformStatement<{ limit: number }, Pick<ClientRow, 'id'>>((query, given) =>
  query.selectFrom('oauth_client').select('id').where('used_at', 'is', null).limit(given.limit),
);

/** The client that has been unused for longest. */
export const findOldestUnused = platformStatement<object, Pick<ClientRow, 'created'>>((query) =>
  query.selectFrom('oauth_client').select('created').where('used_at', 'is', null).orderBy('created').limit(1),
);

/** The clients of a share except its latest `kept`. */
export const listOldOfShare = platformStatement<{ share: string; kept: number }, Pick<ClientRow, 'id'>>(
  (query, given) =>
    query
      .selectFrom('oauth_client')
      .select('id')
      .where('share', '=', given.share)
      .where('used_at', 'is', null)
      .orderBy('created', 'desc')
      .orderBy('id')
      .limit(100)
      .offset(given.kept),
);

/**
 * Returns no row when it was used before: of two uses at the same moment, one succeeds. A refresh token may be used
 * again while its first use is later than `overlap`, and keeps the time of its first use.
 */
export const consumeToken = platformStatement<
  { hash: string; now: Timestamp; overlap: Timestamp },
  Pick<Row<'oauth_token'>, 'hash'>
>((query, given) =>
  query
    .updateTable('oauth_token')
    .set(({ fn, ref, val }) => ({ consumed_at: fn.coalesce(ref('consumed_at'), val(given.now)) }))
    .where('hash', '=', given.hash)
    .where(({ and, eb, or }) =>
      or([
        eb('consumed_at', 'is', null),
        and([eb('kind', '=', 'RefreshToken'), eb('consumed_at', '>', given.overlap)]),
      ]),
    )
    .returning('hash'),
);

export const upsertFlow = platformStatement<FlowRow, unknown>((query, given) =>
  query
    .insertInto('oauth_flow')
    .values(rowOf('oauth_flow', given))
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet({ payload: given.payload, expires_at: given.expires_at }),
    ),
);

export const findFlow = platformStatement<{ hash: string; kind: string; now: Timestamp }, FlowRow>((query, given) =>
  query
    .selectFrom('oauth_flow')
    .selectAll()
    .where('hash', '=', given.hash)
    .where('kind', '=', given.kind)
    .where('expires_at', '>', given.now),
);

export interface ServerAtAddress {
  readonly id: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly name: string;
  readonly authentication: string;
  readonly visibility: string;
  readonly default_role: string | null;
}

/** The server that a serving URL names. */
export const findServerAt = platformStatement<{ organization: string; server: string }, ServerAtAddress>(
  (query, given) =>
    query
      .selectFrom('organization')
      .innerJoin('mcp_server', 'mcp_server.organization_id', 'organization.id')
      .where('organization.slug', '=', given.organization)
      .where('mcp_server.slug', '=', given.server)
      .select([
        'mcp_server.id as id',
        'mcp_server.organization_id as organization_id',
        'organization.name as organization_name',
        'mcp_server.name as name',
        'mcp_server.authentication as authentication',
        'mcp_server.visibility as visibility',
        'mcp_server.default_role as default_role',
      ]) as never,
);
