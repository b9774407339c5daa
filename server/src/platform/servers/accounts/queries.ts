import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { ClientRow, CredentialRow } from '../../../mcp/credentials/queries.ts';

/** A client that was registered for another address of this gateway. */
export const deleteOtherClient = platformStatement<Pick<ClientRow, 'server_id' | 'redirect_uri'>, unknown>(
  (query, given) =>
    query
      .deleteFrom('upstream_client')
      .where('server_id', '=', given.server_id)
      .where('redirect_uri', '<>', given.redirect_uri),
);

export type ListedAccount = CredentialRow & {
  readonly server_name: string;
  readonly server_slug: string;
  readonly organization_slug: string;
};

export type AccountOfPerson = Pick<CredentialRow, 'id' | 'user_id' | 'kind' | 'problem' | 'created'> &
  Pick<Row<'user_account'>, 'email' | 'name'>;

/** The accounts of all people at a server, oldest first. */
export const listAccountsAt = platformStatement<{ server_id: string; cursor: string; limit: number }, AccountOfPerson>(
  (query, given) =>
    query
      .selectFrom('upstream_credential')
      .innerJoin('user_account', 'user_account.id', 'upstream_credential.user_id')
      .select([
        'upstream_credential.id',
        'upstream_credential.user_id',
        'upstream_credential.kind',
        'upstream_credential.problem',
        'upstream_credential.created',
        'user_account.email',
        'user_account.name',
      ])
      .where('upstream_credential.server_id', '=', given.server_id)
      .where('upstream_credential.id', '>', given.cursor)
      .orderBy('upstream_credential.id')
      .limit(given.limit),
);

/** The accounts of a person, oldest first. */
export const listAccounts = platformStatement<{ user_id: string; cursor: string; limit: number }, ListedAccount>(
  (query, given) =>
    query
      .selectFrom('upstream_credential')
      .innerJoin('mcp_server', 'mcp_server.id', 'upstream_credential.server_id')
      .innerJoin('organization', 'organization.id', 'upstream_credential.organization_id')
      .selectAll('upstream_credential')
      .select([
        'mcp_server.name as server_name',
        'mcp_server.slug as server_slug',
        'organization.slug as organization_slug',
      ])
      .where('upstream_credential.user_id', '=', given.user_id)
      .where('upstream_credential.id', '>', given.cursor)
      .orderBy('upstream_credential.id')
      .limit(given.limit) as never,
);
