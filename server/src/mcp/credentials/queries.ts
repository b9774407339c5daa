import { rows } from '../../database/rows.ts';
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';

export type CredentialRow = Row<'upstream_credential'>;
export type ClientRow = Row<'upstream_client'>;

/** A person who connects again gets a new row, and open requests with the old one end. */
export const upstreamCredentials = rows('upstream_credential');
export const upstreamClients = rows('upstream_client');

/** The credential of a person for a server, with the names of both; the credential's columns are null without one. */
export type PersonalRow = {
  readonly server_slug: string;
  readonly organization_slug: string;
} & (Pick<CredentialRow, 'id' | 'version' | 'encrypted_secret' | 'expires_at' | 'problem'> | { readonly id: null });

export const findPersonal = platformStatement<{ server_id: string; user_id: string }, PersonalRow>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .innerJoin('organization', 'organization.id', 'mcp_server.organization_id')
      .leftJoin('upstream_credential', (join) =>
        join
          .onRef('upstream_credential.server_id', '=', 'mcp_server.id')
          .on('upstream_credential.user_id', '=', given.user_id),
      )
      .where('mcp_server.id', '=', given.server_id)
      .select([
        'mcp_server.slug as server_slug',
        'organization.slug as organization_slug',
        'upstream_credential.id as id',
        'upstream_credential.version as version',
        'upstream_credential.encrypted_secret as encrypted_secret',
        'upstream_credential.expires_at as expires_at',
        'upstream_credential.problem as problem',
      ]) as never,
);

/** Finds whether the server has a credential for all people. */
export const findShared = platformStatement<{ id: string }, Pick<Row<'mcp_server'>, 'encrypted_credential'>>(
  (query, given) => query.selectFrom('mcp_server').select('encrypted_credential').where('id', '=', given.id),
);

/** Returns no row when another process is renewing it, or has renewed it. */
export const claimRenewal = platformStatement<
  { id: string; version: number; now: Timestamp; until: Timestamp },
  Pick<CredentialRow, 'id'>
>((query, given) =>
  query
    .updateTable('upstream_credential')
    .set({ renewing_until: given.until })
    .where('id', '=', given.id)
    .where('version', '=', given.version)
    .where((eb) => eb.or([eb('renewing_until', 'is', null), eb('renewing_until', '<', given.now)]))
    .returning('id'),
);

/** Returns no row when the person has disconnected in the meantime. */
export const storeRenewed = platformStatement<
  Pick<CredentialRow, 'id' | 'version' | 'encrypted_secret' | 'expires_at'> & { now: Timestamp },
  CredentialRow
>((query, given) =>
  query
    .updateTable('upstream_credential')
    .set((eb) => ({
      updated: given.now,
      encrypted_secret: given.encrypted_secret,
      expires_at: eb.val(given.expires_at),
      problem: null,
      renewing_until: null,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', given.id)
    .where('version', '=', given.version)
    .returningAll(),
);
