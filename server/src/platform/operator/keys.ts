/** The operator's commands for keys, on the machine itself. Secrets are not stored, so a list cannot show them. */

import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { ConfigError } from '../../errors.ts';
import { isUuid } from '../../id.ts';
import type { Timestamp } from '../../time.ts';
import { revokeKey } from '../api-keys/queries.ts';
import { recordOperatorAudit } from '../audit/record.ts';
import { findOwner, type KeyOwnerName, type OperatorContext } from './operator.ts';

export interface ListedKey {
  readonly id: string;
  readonly descriptor: string;
  readonly state: 'active' | 'revoked';
  readonly ownerType: string;
  /** Address of a user, name of a service account; null when the owner is gone. */
  readonly owner: string | null;
  /** Slug of the organization of a service account. */
  readonly organization: string | null;
  readonly created: Timestamp;
  readonly lastUsed: Timestamp | null;
}

type KeyRow = Omit<Row<'api_key'>, 'hash'> & {
  readonly email: string | null;
  readonly account: string | null;
  readonly organization_id: string | null;
  readonly slug: string | null;
};

const listKeyRows = platformStatement<Record<string, never>, KeyRow>((query) =>
  query
    .selectFrom('api_key')
    .leftJoin('user_account', 'user_account.id', 'api_key.owner_id')
    .leftJoin('service_account', 'service_account.id', 'api_key.owner_id')
    .leftJoin('organization', 'organization.id', 'service_account.organization_id')
    .select([
      'api_key.id',
      'api_key.created',
      'api_key.descriptor',
      'api_key.owner_type',
      'api_key.owner_id',
      'api_key.revoked_at',
      'api_key.last_used_at',
      'user_account.email as email',
      'service_account.name as account',
      'service_account.organization_id as organization_id',
      'organization.slug as slug',
    ])
    .orderBy('api_key.id'),
);

/** Every key, or those of one owner, oldest first. */
export async function listKeys({ store }: OperatorContext, of: KeyOwnerName | undefined): Promise<ListedKey[]> {
  const db = store.platform.reads();
  const owner = of && (await findOwner(db, of));
  const rows = await db.all(listKeyRows);
  return rows.filter(({ owner_id }) => !owner || owner_id === owner.id).map(listed);
}

/** In force for every request that begins after this resolves. Throws ConfigError when no active key has this id. */
export function revokeKeyById({ store, now }: OperatorContext, id: string): Promise<ListedKey> {
  return store.platform.transaction(async (tx) => {
    const row = isUuid(id) ? (await tx.all(listKeyRows)).find((one) => one.id === id.toLowerCase()) : undefined;
    const revoked = row && (await tx.first(revokeKey, { id: row.id, owner_id: row.owner_id, now }));
    if (!row || !revoked) throw new ConfigError(`There is no active key ${id}. "signalbox keys list" lists them.`);
    await recordOperatorAudit(tx, now, {
      organizationId: row.organization_id,
      action: 'api_key.revoke',
      target: { type: row.owner_type, id: row.owner_id, ...nameOf(row) },
    });
    return listed({ ...row, revoked_at: now });
  });
}

function nameOf(row: KeyRow): { name?: string } {
  const name = row.email ?? row.account;
  return name === null ? {} : { name };
}

function listed(row: KeyRow): ListedKey {
  return {
    id: row.id,
    descriptor: row.descriptor,
    state: row.revoked_at === null ? 'active' : 'revoked',
    ownerType: row.owner_type,
    owner: row.email ?? row.account,
    organization: row.slug,
    created: row.created,
    lastUsed: row.last_used_at,
  };
}
