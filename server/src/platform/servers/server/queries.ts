import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformStatement, rowOf } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { ActorState, OrganizationRole, Role } from '../../../identity/access/access.ts';
import { grantOf, ofActor, places, type Roles } from '../../../identity/access/standing.ts';
import type { Timestamp } from '../../../values/time.ts';

export type ServerRow = Row<'mcp_server'>;

/** Whole rows, whose manifest and policy may be long. Queries that need few columns are statements. */
export const servers = rows('mcp_server');

/** Returns no row when the slug is taken. */
export const insertServer = platformStatement<ServerRow, Pick<ServerRow, 'id'>>((query, given) =>
  query
    .insertInto('mcp_server')
    .values(rowOf('mcp_server', given))
    .onConflict((conflict) => conflict.columns(['organization_id', 'slug']).doNothing())
    .returning('id'),
);

type Place = { readonly organization_id: string; readonly id: string; readonly slug: string };

/** Finds a server by id or by slug; the other one is ignored. */
export const findServer = platformStatement<Place, ServerRow>((query, given) =>
  query
    .selectFrom('mcp_server')
    .selectAll()
    .where('organization_id', '=', given.organization_id)
    .where((eb) => eb.or([eb('id', '=', given.id), eb('slug', '=', given.slug)])),
);

/** The slugs of an organization that fit a pattern of SQL. */
export const listSlugsLike = platformStatement<{ organization_id: string; pattern: string }, Pick<ServerRow, 'slug'>>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .select('slug')
      .where('organization_id', '=', given.organization_id)
      .where('slug', 'like', given.pattern),
);

/** The current row, locked until the transaction ends. */
export const lockServer = platformStatement<{ id: string }, ServerRow>((query, given, dialect) =>
  query.selectFrom('mcp_server').selectAll().where('id', '=', given.id).modifyEnd(dialect.forUpdate),
);

/** All servers of an organization, without a limit. */
export const listServerIdsOf = platformStatement<{ organization_id: string }, Pick<ServerRow, 'id'>>((query, given) =>
  query.selectFrom('mcp_server').select('id').where('organization_id', '=', given.organization_id),
);

type VisibleServerRow = ServerRow & { readonly granted_role: Role | null };

/**
 * The servers on which the actor has a role and those that everyone may see; all of them for an administrator. `text`
 * is a part of the name or of the slug.
 */
export const listVisibleServers = platformStatement<
  { organization_id: string; actor_id: string; organization_role: string; text: string; cursor: string; limit: number },
  VisibleServerRow
>(
  (query, given, dialect) =>
    query
      .selectFrom('mcp_server')
      .$call(grantOf(given.actor_id, places.server.resource))
      .selectAll('mcp_server')
      .select('resource_grant.role as granted_role')
      .where('mcp_server.organization_id', '=', given.organization_id)
      .where((eb) =>
        eb.or([
          eb(sql`cast(${given.organization_role} as text)`, '=', 'admin'),
          eb('resource_grant.role', 'is not', null),
          eb('mcp_server.default_role', 'is not', null),
          eb('mcp_server.visibility', '=', 'discoverable'),
        ]),
      )
      .where(dialect.containsLiterally(sql`mcp_server.name || ' ' || mcp_server.slug`, given.text))
      .where('mcp_server.id', '>', given.cursor)
      .orderBy('mcp_server.id')
      .limit(given.limit) as never,
);

interface NamedServerRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly default_role: string | null;
  readonly granted_role: Role | null;
}

/** Names of the newest servers of an organization, with the actor's grant on each. */
export const listServerNames = platformStatement<
  { organization_id: string; actor_id: string; limit: number },
  NamedServerRow
>(
  (query, given) =>
    query
      .selectFrom('mcp_server')
      .$call(grantOf(given.actor_id, places.server.resource))
      .select([
        'mcp_server.id as id',
        'mcp_server.slug as slug',
        'mcp_server.name as name',
        'mcp_server.default_role as default_role',
        'resource_grant.role as granted_role',
      ])
      .where('mcp_server.organization_id', '=', given.organization_id)
      .orderBy('mcp_server.id', 'desc')
      .limit(given.limit) as never,
);

/**
 * Stores the columns that people set. A version rises when something that it covers has changed. A manifest that is due
 * stays due. Returns the new row.
 */
export const updateServer = platformStatement<
  Pick<
    ServerRow,
    | 'id'
    | 'slug'
    | 'name'
    | 'description'
    | 'visibility'
    | 'default_role'
    | 'authentication'
    | 'denied_as'
    | 'connection'
    | 'encrypted_credential'
    | 'manifest_due'
    | 'personal_credential'
    | 'encrypted_client_secret'
  > & { now: Timestamp; connection_step: number },
  ServerRow
>((query, given) =>
  query
    .updateTable('mcp_server')
    .set((eb) => ({
      updated: given.now,
      slug: given.slug,
      name: given.name,
      description: given.description,
      visibility: given.visibility,
      default_role: eb.val(given.default_role),
      authentication: given.authentication,
      denied_as: given.denied_as,
      connection: given.connection,
      encrypted_credential: eb.val(given.encrypted_credential),
      personal_credential: eb.val(given.personal_credential),
      encrypted_client_secret: eb.val(given.encrypted_client_secret),
      connection_version: eb('connection_version', '+', given.connection_step),
      manifest_due: eb.fn.coalesce(eb.val(given.manifest_due), 'manifest_due'),
    }))
    .where('id', '=', given.id)
    .returningAll(),
);

export const updatePolicy = platformStatement<
  Pick<ServerRow, 'id' | 'policy'> & { now: Timestamp },
  Pick<ServerRow, 'policy_version'>
>((query, given) =>
  query
    .updateTable('mcp_server')
    .set((eb) => ({ updated: given.now, policy: given.policy, policy_version: eb('policy_version', '+', 1) }))
    .where('id', '=', given.id)
    .returning('policy_version'),
);

interface ActorStanding extends Roles {
  readonly state: ActorState;
}

/** The facts that decide an actor's access to a server. No row for an actor outside the organization. */
export const findStanding = platformStatement<
  { organization_id: string; server_id: string; actor_id: string },
  ActorStanding
>(
  (query, given) =>
    query
      .selectFrom('organization')
      .$call(ofActor.at(given.actor_id, { ...places.organization, resource: given.server_id }))
      .leftJoin('user_account', 'user_account.id', 'membership.user_id')
      .where('organization.id', '=', given.organization_id)
      .where((eb) =>
        eb.or([
          eb('user_account.id', 'is not', null),
          // The row of a deleted account stays; without an id it is null, and this is not true.
          eb('service_account.state', '<>', 'deleted'),
        ]),
      )
      .select((eb) => [
        eb.fn.coalesce('user_account.state', 'service_account.state').as('state'),
        ...ofActor.roles,
      ]) as never,
);

export interface StandingRow {
  readonly actor_id: string;
  readonly actor_type: 'user' | 'service_account';
  readonly name: string;
  readonly state: ActorState;
  readonly organization_role: OrganizationRole;
  readonly granted_role: Role | null;
}

/** Like `findStanding`, for all members and service accounts of the organization, by name. */
export const listStandings = platformStatement<{ organization_id: string; server_id: string }, StandingRow>(
  (query, given) =>
    query
      .selectFrom('membership')
      .innerJoin('user_account', 'user_account.id', 'membership.user_id')
      .$call(grantOf(sql.ref('membership.user_id'), given.server_id))
      .where('membership.organization_id', '=', given.organization_id)
      .select([
        'membership.user_id as actor_id',
        sql<string>`'user'`.as('actor_type'),
        'user_account.email as name',
        'user_account.state as state',
        'membership.role as organization_role',
        'resource_grant.role as granted_role',
      ])
      .unionAll((union) =>
        union
          .selectFrom('service_account')
          .$call(grantOf(sql.ref('service_account.id'), given.server_id))
          .where('service_account.organization_id', '=', given.organization_id)
          .where('service_account.state', '<>', 'deleted')
          .select([
            'service_account.id as actor_id',
            sql<string>`'service_account'`.as('actor_type'),
            'service_account.name as name',
            'service_account.state as state',
            'service_account.role as organization_role',
            'resource_grant.role as granted_role',
          ]),
      )
      .orderBy('name') as never,
);
