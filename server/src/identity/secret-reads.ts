/** Who may read the secrets of a workspace, and what the audit records about it. */
import { platformStatement } from '../database/statement.ts';
import type { Store } from '../database/store.ts';
import type { Row } from '../database/tables.ts';
import { Forbidden } from '../errors.ts';
import { newTimeOrderedId } from '../id.ts';
import { jsonTextOf } from '../json.ts';
import type { Timestamp } from '../time.ts';
import type { Actor, Role } from './access.ts';
import { insertAuditEntry } from './audit-entry.ts';
import { mayReadSecrets } from './permissions.ts';

/** The reader, and the workspace whose secrets it reads. `Context` has it. */
interface SecretRead {
  readonly workspace: number;
  readonly actor: Actor | undefined;
  readonly now: Timestamp;
  readonly client: { readonly address: string };
  readonly server: { readonly store: Store };
}

const findWorkspace = platformStatement<{ key: number }, Pick<Row<'workspace'>, 'id' | 'name' | 'organization_id'>>(
  (query, given) =>
    query.selectFrom('workspace').select(['id', 'name', 'organization_id']).where('key', '=', given.key),
);

/** Throws Forbidden for viewers. It does not mask the values: a program would go on with the masked ones. */
export function checkSecretRead({ role }: { readonly role: Role | undefined }): void {
  if (mayReadSecrets(role)) return;
  throw new Forbidden('Reading secrets requires the role editor in this workspace. Omit include_secrets.');
}

/** Call it before the secrets are answered. Where the access mode identifies no actor, it records nothing. */
export async function noteSecretRead(read: SecretRead, blockIds: readonly string[]): Promise<void> {
  const { actor, client, server, now } = read;
  if (!actor || blockIds.length === 0) return;
  const store = server.store;
  const workspace = await store.platform.reads().first(findWorkspace, { key: read.workspace });
  if (!workspace) return;
  await store.platform.transaction((tx) =>
    tx.run(insertAuditEntry, {
      id: newTimeOrderedId(),
      organization_id: workspace.organization_id,
      occurred: now,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name,
      address: client.address === '' ? null : client.address,
      action: 'secrets.read',
      target_type: 'workspace',
      target_id: workspace.id,
      target_name: workspace.name,
      details: jsonTextOf({ block_documents: blockIds }),
    }),
  );
}
