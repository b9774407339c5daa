/**
 * Reads whose a key is and what that owner may do in a workspace, for one request, in one statement. Nothing of it is
 * kept: a revoke, a removal or a changed role is in force for every request that begins after its answer, on every
 * replica.
 */
import { platformStatement } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Row } from '../database/tables.ts';
import { FIRST_ID, idNamedBy } from '../id.ts';
import type { AccessFacts, Actor, ActorState, OrganizationRole, Role } from './access.ts';
import { hashOfApiKey } from './api-keys.ts';

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

interface AccessRow {
  readonly key_id: string;
  readonly owner_type: Actor['type'];
  readonly owner_id: string;
  readonly actor_name: string | null;
  readonly actor_state: ActorState | null;
  readonly workspace_key: number | null;
  readonly default_role: Role | null;
  readonly organization_role: OrganizationRole | null;
  readonly granted_role: Role | null;
}

type Columns = Pick<Row<'workspace'>, 'key' | 'id' | 'organization_id'>;

const readAccess = (by: 'key' | 'id') =>
  platformStatement<Columns & { hash: string }, AccessRow>(
    (query, given) =>
      query
        .selectFrom('api_key')
        .leftJoin('user_account', (join) =>
          join.onRef('user_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'user'),
        )
        .leftJoin('service_account', (join) =>
          join.onRef('service_account.id', '=', 'api_key.owner_id').on('api_key.owner_type', '=', 'service_account'),
        )
        .leftJoin('workspace', (join) =>
          by === 'key'
            ? join.on('workspace.key', '=', given.key)
            : join.on('workspace.id', '=', given.id).on('workspace.organization_id', '=', given.organization_id),
        )
        .leftJoin('membership', (join) =>
          join
            .onRef('membership.organization_id', '=', 'workspace.organization_id')
            .onRef('membership.user_id', '=', 'user_account.id'),
        )
        .leftJoin('resource_grant', (join) =>
          join
            .onRef('resource_grant.resource_id', '=', 'workspace.id')
            .onRef('resource_grant.actor_id', '=', 'api_key.owner_id'),
        )
        .where('api_key.hash', '=', given.hash)
        .where('api_key.revoked_at', 'is', null)
        .select((eb) => [
          'api_key.id as key_id',
          'api_key.owner_type as owner_type',
          'api_key.owner_id as owner_id',
          eb.fn.coalesce('user_account.email', 'service_account.name').as('actor_name'),
          eb.fn.coalesce('user_account.state', 'service_account.state').as('actor_state'),
          'workspace.key as workspace_key',
          'workspace.default_role as default_role',
          eb
            .case()
            .when(eb.ref('service_account.organization_id'), '=', eb.ref('workspace.organization_id'))
            .then(eb.ref('service_account.role'))
            .else(eb.ref('membership.role'))
            .end()
            .as('organization_role'),
          'resource_grant.role as granted_role',
        ]) as never,
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
  if (!row) return { facts: invalidCredential, actor: undefined, apiKeyId: undefined, workspace: undefined };
  const facts: AccessFacts = {
    credential: 'valid',
    actorState: row.actor_state ?? 'deleted',
    resource: row.workspace_key === null ? undefined : { defaultRole: row.default_role, visibility: 'members' },
    organizationRole: row.organization_role,
    grant: row.granted_role,
  };
  return {
    facts,
    actor: { type: row.owner_type, id: row.owner_id, name: row.actor_name ?? '' },
    apiKeyId: row.key_id,
    workspace: row.workspace_key ?? undefined,
  };
}

const invalidCredential: AccessFacts = {
  credential: 'invalid',
  actorState: 'active',
  resource: undefined,
  organizationRole: null,
  grant: null,
};

function findAccess(store: Store, hash: string, address: WorkspaceAddress): Promise<AccessRow | undefined> {
  const reads = store.reads(0);
  if ('key' in address) {
    return reads.first(readAccessByKey, { hash, key: address.key, id: FIRST_ID, organization_id: FIRST_ID });
  }
  // Ids that are no UUID map to nothing, but the key is still looked up: 401 comes before 404.
  return reads.first(readAccessById, {
    hash,
    key: 0,
    id: idNamedBy(address.workspaceId),
    organization_id: idNamedBy(address.organizationId),
  });
}
