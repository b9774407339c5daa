import { sql } from 'kysely';
import { platformQuery } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';

/** Actors with the granted role `admin`, by name. */
const listOwners = platformQuery<
  { server_ids: readonly string[] },
  { readonly server_id: string; readonly name: string | null }
>(
  (_query, { server_ids }, dialect) =>
    sql`select resource_grant.resource_id as server_id, coalesce(user_account.email, service_account.name) as name
      from resource_grant
      left join user_account on user_account.id = resource_grant.actor_id
      left join service_account on service_account.id = resource_grant.actor_id
      where ${dialect.oneOf(sql`resource_grant.resource_id`, server_ids, 'uuid')} and resource_grant.role = 'admin'
      order by 2`,
);

/** The names of the owners of servers: the actors with the granted role `admin`. */
export async function ownersByServer(
  db: PlatformDb,
  rows: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, string[]>> {
  const owners = new Map<string, string[]>();
  for (const { server_id, name } of await db.all(listOwners, { server_ids: rows.map(({ id }) => id) })) {
    owners.set(server_id, [...(owners.get(server_id) ?? []), name ?? '']);
  }
  return owners;
}
