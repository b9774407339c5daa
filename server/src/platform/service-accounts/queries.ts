import { sql } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';
import type { ServiceAccount } from './schema.ts';

export type ServiceAccountRow = Row<'service_account'>;

/** Answers nothing when another account of the organization has the name. */
export const insertServiceAccount = platformStatement<ServiceAccountRow, Pick<ServiceAccountRow, 'id'>>(
  (query, given) =>
    query
      .insertInto('service_account')
      .values(rowOf('service_account', given))
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
);

type Place = Pick<ServiceAccountRow, 'organization_id' | 'id'>;

/** Deleted accounts are not found; their key records stay. */
export const findServiceAccount = platformStatement<Place, ServiceAccountRow>((query, given) =>
  query
    .selectFrom('service_account')
    .selectAll()
    .where('organization_id', '=', given.organization_id)
    .where('id', '=', given.id)
    .where('state', '<>', 'deleted'),
);

/** The row of the service account that asks about itself. */
export const findOwnServiceAccount = platformStatement<{ id: string }, ServiceAccountRow>((query, given) =>
  query.selectFrom('service_account').selectAll().where('id', '=', given.id),
);

export const listServiceAccounts = platformStatement<
  { organization_id: string; cursor: string; limit: number },
  ServiceAccountRow
>((query, given) =>
  query
    .selectFrom('service_account')
    .selectAll()
    .where('organization_id', '=', given.organization_id)
    .where('state', '<>', 'deleted')
    .where('id', '>', given.cursor)
    .orderBy('id')
    .limit(given.limit),
);

/** Nulls leave a column as it is. The row stays locked until the transaction ends. */
export const updateServiceAccount = platformStatement<
  Place & {
    now: Timestamp;
    name: string | null;
    description: string | null;
    role: string | null;
    state: string | null;
  },
  ServiceAccountRow
>((query, given) =>
  query
    .updateTable('service_account')
    .set((eb) => ({
      updated: given.now,
      name: sql<string>`coalesce(${given.name}, ${eb.ref('name')})`,
      description: sql<string>`coalesce(${given.description}, ${eb.ref('description')})`,
      role: sql<string>`coalesce(${given.role}, ${eb.ref('role')})`,
      state: sql<string>`coalesce(${given.state}, ${eb.ref('state')})`,
    }))
    .where('organization_id', '=', given.organization_id)
    .where('id', '=', given.id)
    .where('state', '<>', 'deleted')
    .returningAll(),
);

export const findServiceAccountByName = platformStatement<
  Pick<ServiceAccountRow, 'organization_id' | 'name'>,
  ServiceAccountRow
>((query, given) =>
  query
    .selectFrom('service_account')
    .selectAll()
    .where('organization_id', '=', given.organization_id)
    .where('name', '=', given.name)
    .where('state', '<>', 'deleted'),
);

/** Another live account of the organization with this name. */
export const findNamesake = platformStatement<Place & { name: string }, Pick<ServiceAccountRow, 'id'>>((query, given) =>
  query
    .selectFrom('service_account')
    .select('id')
    .where('organization_id', '=', given.organization_id)
    .where('name', '=', given.name)
    .where('id', '<>', given.id)
    .where('state', '<>', 'deleted'),
);

export function serviceAccountOf(row: ServiceAccountRow): ServiceAccount {
  return {
    id: row.id,
    createdAt: row.created,
    updatedAt: row.updated,
    name: row.name,
    description: row.description,
    role: row.role as ServiceAccount['role'],
    state: row.state as ServiceAccount['state'],
  };
}
