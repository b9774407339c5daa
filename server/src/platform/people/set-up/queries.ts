import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

type Link = Row<'set_up_link'>;

export const setUpLinks = rows('set_up_link');

/** Returns a row when any user can sign in. */
export const findWhoCanSignIn = platformStatement<Record<string, never>, { id: string }>((query) =>
  query
    .selectFrom('user_account')
    .select('id')
    .where('state', '=', 'active')
    .where((eb) =>
      eb.or([
        eb('password_hash', 'is not', null),
        eb.exists(eb.selectFrom('user_identity').select('subject').whereRef('user_id', '=', 'user_account.id')),
      ]),
    )
    .limit(1),
);

/** The first request that uses a link takes all: another one finds none. */
export const takeSetUpLinks = platformStatement<Record<string, never>, Pick<Link, 'token_hash' | 'expires_at'>>(
  (query) => query.deleteFrom('set_up_link').returning(['token_hash', 'expires_at']),
);

export const findSetUpLink = platformStatement<{ token_hash: string; now: Timestamp }, Pick<Link, 'token_hash'>>(
  (query, given) =>
    query
      .selectFrom('set_up_link')
      .select('token_hash')
      .where('token_hash', '=', given.token_hash)
      .where('expires_at', '>', given.now),
);

/** The organization that owns the workspace behind `/api`. */
export const findOrganizationOfWorkspace = platformStatement<
  { key: number },
  Pick<Row<'organization'>, 'id' | 'name' | 'slug'>
>((query, given) =>
  query
    .selectFrom('workspace')
    .innerJoin('organization', 'organization.id', 'workspace.organization_id')
    .select(['organization.id', 'organization.name', 'organization.slug'])
    .where('workspace.key', '=', given.key),
);
