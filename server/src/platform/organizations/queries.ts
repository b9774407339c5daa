import { sql } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { membershipOf, roleInOrganization, serviceAccountOf } from '../../identity/organization-role.ts';
import type { Timestamp } from '../../time.ts';
import type { Organization, OwnOrganization } from './schema.ts';

export type OrganizationRow = Row<'organization'>;
export type OwnOrganizationRow = OrganizationRow & { readonly role: string };

/** Answers nothing when the slug is taken. */
export const insertOrganization = platformStatement<OrganizationRow, Pick<OrganizationRow, 'id'>>((query, given) =>
  query
    .insertInto('organization')
    .values(rowOf('organization', given))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

export const findOrganization = platformStatement<{ id: string }, OrganizationRow>((query, given) =>
  query.selectFrom('organization').selectAll().where('id', '=', given.id),
);

export const findOrganizationBySlug = platformStatement<{ slug: string }, Pick<OrganizationRow, 'id'>>((query, given) =>
  query.selectFrom('organization').select('id').where('slug', '=', given.slug),
);

/** Nulls leave a column as it is. */
export const updateOrganization = platformStatement<
  { id: string; now: Timestamp; name: string | null; slug: string | null },
  OrganizationRow
>((query, given) =>
  query
    .updateTable('organization')
    .set((eb) => ({
      updated: given.now,
      name: sql<string>`coalesce(${given.name}, ${eb.ref('name')})`,
      slug: sql<string>`coalesce(${given.slug}, ${eb.ref('slug')})`,
    }))
    .where('id', '=', given.id)
    .returningAll(),
);

/** Null for keys of any age. */
export const setMaxKeyAge = platformStatement<{ id: string; days: number | null }, unknown>((query, given) =>
  query.updateTable('organization').set({ max_key_age_days: given.days }).where('id', '=', given.id),
);

export const ownsWorkspace = platformStatement<{ id: string; key: number }, { key: number }>((query, given) =>
  query.selectFrom('workspace').select('key').where('organization_id', '=', given.id).where('key', '=', given.key),
);

export const removeOrganization = platformStatement<{ id: string }, unknown>((query, given) =>
  query.deleteFrom('organization').where('id', '=', given.id),
);

/** The organizations of an actor: of a user by membership, of a service account its own. */
export const listOrganizationsOf = platformStatement<
  { actor_id: string; cursor: string; limit: number },
  OwnOrganizationRow
>(
  (query, given) =>
    query
      .selectFrom('organization')
      .leftJoin('membership', membershipOf(given.actor_id))
      .leftJoin('service_account', serviceAccountOf(given.actor_id))
      .selectAll('organization')
      .select(roleInOrganization.as('role'))
      .where((eb) => eb.or([eb('membership.user_id', 'is not', null), eb('service_account.id', 'is not', null)]))
      .where('organization.id', '>', given.cursor)
      .orderBy('organization.id')
      .limit(given.limit) as never,
);

export function organizationOf(row: OrganizationRow): Organization {
  return {
    id: row.id,
    createdAt: row.created,
    updatedAt: row.updated,
    name: row.name,
    slug: row.slug,
    maxKeyAgeDays: row.max_key_age_days,
  };
}

export function ownOrganizationOf(row: OwnOrganizationRow): OwnOrganization {
  return { ...organizationOf(row), role: row.role as OwnOrganization['role'] };
}
