/**
 * Reads, in one statement for one request, the owner of a key and the owner's rights in a workspace. Nothing is cached:
 * a revoke, a removal or a changed role applies to every request that begins after its answer, on every replica.
 */
import { platformStatement } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Row } from '../database/tables.ts';
import { FIRST_ID, idNamedBy } from '../id.ts';
import type { AccessFacts, Actor, Role } from './access.ts';
import { hashOfApiKey } from './api-keys.ts';
import {
  actorOfKey,
  factsOfKeyOwner,
  grantFor,
  type KeyOwnerRow,
  keyOwner,
  membershipFor,
  nobody,
  type OwnerRolesRow,
  owningServiceAccount,
  owningUser,
  rolesIn,
} from './key-owner.ts';

/** A workspace as a hosted address names it, or the one behind `/api` by its key. */
export type WorkspaceAddress =
  | { readonly key: number }
  | { readonly organizationId: string; readonly workspaceId: string };

export interface WorkspaceAccess {
  readonly facts: AccessFacts;
  /** Set when the key is valid. */
  readonly actor: Actor | undefined;
  readonly apiKeyId: string | undefined;
  /** Key of the workspace, when the address maps to one. */
  readonly workspace: number | undefined;
}

interface AccessRow extends KeyOwnerRow, OwnerRolesRow {
  readonly workspace_key: number | null;
  readonly default_role: Role | null;
}

type Columns = Pick<Row<'workspace'>, 'key' | 'id' | 'organization_id'>;

const readAccess = (by: 'key' | 'id') =>
  platformStatement<Columns & { hash: string }, AccessRow>(
    (query, given) =>
      query
        .selectFrom('api_key')
        .leftJoin('user_account', owningUser)
        .leftJoin('service_account', owningServiceAccount)
        .leftJoin('workspace', (join) =>
          by === 'key'
            ? join.on('workspace.key', '=', given.key)
            : join.on('workspace.id', '=', given.id).on('workspace.organization_id', '=', given.organization_id),
        )
        .leftJoin('membership', membershipFor('workspace'))
        .leftJoin('resource_grant', grantFor('workspace'))
        .where('api_key.hash', '=', given.hash)
        .where('api_key.revoked_at', 'is', null)
        .select(keyOwner)
        .select(['workspace.key as workspace_key', 'workspace.default_role as default_role'])
        .select(rolesIn('workspace')) as never,
  );
const readAccessByKey = readAccess('key');
const readAccessById = readAccess('id');

/** `presented` is the text after `Bearer`; undefined when there was none. */
export async function readWorkspaceAccess(
  store: Store,
  presented: string | undefined,
  address: WorkspaceAddress,
): Promise<WorkspaceAccess> {
  const hash = presented === undefined ? undefined : hashOfApiKey(presented);
  const row = hash === undefined ? undefined : await findAccess(store, hash, address);
  if (!row) return { facts: nobody, actor: undefined, apiKeyId: undefined, workspace: undefined };
  const resource = { defaultRole: row.default_role, visibility: 'members' } as const;
  return {
    facts: factsOfKeyOwner(row, row.workspace_key === null ? undefined : resource),
    actor: actorOfKey(row),
    apiKeyId: row.key_id,
    workspace: row.workspace_key ?? undefined,
  };
}

function findAccess(store: Store, hash: string, address: WorkspaceAddress): Promise<AccessRow | undefined> {
  const reads = store.platform.reads();
  if ('key' in address) {
    return reads.first(readAccessByKey, { hash, key: address.key, id: FIRST_ID, organization_id: FIRST_ID });
  }
  // An id that is not a UUID maps to nothing. The key is still looked up, because 401 comes before 404.
  return reads.first(readAccessById, {
    hash,
    key: 0,
    id: idNamedBy(address.workspaceId),
    organization_id: idNamedBy(address.organizationId),
  });
}
