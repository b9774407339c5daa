/**
 * Joins to a statement what gives an actor a role at a resource: the membership or the service account in the
 * organization, and the grant. Every statement that asks who may do what where takes its joins from here, so that
 * another source of roles, such as a group of people, is added once.
 */
import { type Expression, type ExpressionBuilder, expressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from '../../database/tables/tables.ts';
import type { OrganizationRole, Role } from './access.ts';

type Id = Expression<string> | string;

/** A query in which any table may be joined; the statement says which rows it has. */
type Joined<Output> = SelectQueryBuilder<Tables, keyof Tables, Output>;
type Query<From extends keyof Tables, Output> = SelectQueryBuilder<Tables, From, Output>;

/** The place of the question: the organization, and a resource in it, each the name of a column or a value. */
interface Place {
  readonly organization: Id;
  readonly resource?: Id;
}

/** Places of statements that join these tables. */
export const places = {
  organization: { organization: sql.ref<string>('organization.id') },
  workspace: { organization: sql.ref<string>('workspace.organization_id'), resource: sql.ref<string>('workspace.id') },
  server: { organization: sql.ref<string>('mcp_server.organization_id'), resource: sql.ref<string>('mcp_server.id') },
} as const satisfies Record<string, Place>;

/** The roles of an actor at a place; null for those who are not members, and without a grant. */
export interface Roles {
  readonly organization_role: OrganizationRole | null;
  readonly granted_role: Role | null;
}

const columns: ExpressionBuilder<Tables, keyof Tables> = expressionBuilder<Tables, keyof Tables>();
const granted = 'resource_grant.role as granted_role' as const;

/** Joins `user_account` and `service_account` to `api_key`; one of the two is the owner. */
export const owner = <From extends keyof Tables, Output>(query: Query<From, Output>): Joined<Output> =>
  (query as unknown as Joined<Output>)
    .leftJoin('user_account', (join) =>
      join.onRef('user_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'user'),
    )
    .leftJoin('service_account', (join) =>
      join.onRef('service_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'service_account'),
    ) as unknown as Joined<Output>;

/** The roles of the owner of `api_key`, whom `owner` has joined. */
export const ofOwner = {
  at: (place: Place) => joins({ place, person: sql.ref('user_account.id'), grantee: sql.ref('api_key.owner_id') }),
  roles: ({ organization }: Place) =>
    [
      columns
        .case()
        .when(columns.ref('service_account.organization_id'), '=', organization as Expression<string>)
        .then(columns.ref('service_account.role'))
        .else(columns.ref('membership.role'))
        .end()
        .as('organization_role'),
      granted,
    ] as const,
};

/** The roles of the person in `user_account`. */
export const ofPerson = {
  at: (place: Place) => joins({ place, person: sql.ref('user_account.id'), grantee: sql.ref('user_account.id') }),
  roles: ['membership.role as organization_role', granted] as const,
};

/** The role in an organization of an actor of either kind, by id. */
export const roleInOrganization = columns.fn.coalesce('membership.role', 'service_account.role');

/** The roles of an actor of either kind, by id. */
export const ofActor = {
  at: (actorId: string, place: Place) => joins({ place, person: actorId, account: actorId, grantee: actorId }),
  roles: [roleInOrganization.as('organization_role'), granted] as const,
};

/** The grant of an actor, by id, on a resource. */
export const grantOf = (actorId: Id, resource: Id) =>
  joins({ grantee: actorId, place: { organization: '', resource } });

interface Sources {
  readonly place: Place;
  /** The ids of the person, the service account and the grantee. An absent id joins no table. */
  readonly person?: Id;
  readonly account?: Id;
  readonly grantee: Id;
}

function joins({ place: { organization, resource }, person, account, grantee }: Sources) {
  return <From extends keyof Tables, Output>(query: Query<From, Output>): Joined<Output> => {
    let joined = query as unknown as Joined<Output>;
    if (person !== undefined) {
      joined = joined.leftJoin('membership', (join) =>
        join.on('membership.organization_id', '=', organization).on('membership.user_id', '=', person),
      ) as unknown as Joined<Output>;
    }
    if (account !== undefined) {
      joined = joined.leftJoin('service_account', (join) =>
        join.on('service_account.organization_id', '=', organization).on('service_account.id', '=', account),
      ) as unknown as Joined<Output>;
    }
    if (resource === undefined) return joined;
    return joined.leftJoin('resource_grant', (join) =>
      join.on('resource_grant.resource_id', '=', resource).on('resource_grant.actor_id', '=', grantee),
    ) as unknown as Joined<Output>;
  };
}
