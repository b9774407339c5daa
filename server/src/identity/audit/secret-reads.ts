/** Checks who may read the secrets of a workspace, and records the reads in the audit. */
import type { Store } from '../../database/store.ts';
import { Forbidden } from '../../errors.ts';
import type { Role } from '../access/access.ts';
import { mayReadSecrets } from '../access/permissions.ts';
import { recordWorkspaceAudit, type WorkspaceActor } from './workspace-audit.ts';

/** The reader, and the workspace whose secrets it reads. `Context` has it. */
interface SecretRead extends WorkspaceActor {
  readonly server: { readonly store: Store };
}

/**
 * Throws Forbidden for viewers. The values are not masked instead, because a program would go on with the masked
 * values.
 */
export function checkSecretRead({ role }: { readonly role: Role | undefined }): void {
  if (mayReadSecrets(role)) return;
  throw new Forbidden('Reading secrets requires the role editor in this workspace. Omit include_secrets.');
}

/**
 * Call it before the answer with the secrets is sent. If the access mode identifies no actor, it records nothing.
 */
export async function noteSecretRead(read: SecretRead, blockIds: readonly string[]): Promise<void> {
  if (!read.actor || blockIds.length === 0) return;
  await read.server.store.platform.transaction((tx) =>
    recordWorkspaceAudit(tx, read, { action: 'secrets.read', details: { block_documents: blockIds } }),
  );
}
