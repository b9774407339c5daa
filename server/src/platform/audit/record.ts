import type { Author, OrganizationChange } from '../../context/platform-context.ts';
import type { PlatformTx } from '../../database/store.ts';
import { auditEntries } from '../../identity/audit/audit-entries.ts';
import { newTimeOrderedId } from '../../values/id.ts';
import { jsonTextOf } from '../../values/json.ts';

interface AuditedChange {
  /** Null for a change that concerns no organization: of a personal key, or a session. */
  readonly organizationId: string | null;
  /** For example, `service_account.create`. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string | null };
  /** Further facts for a reader of the audit; never a secret, never a key. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes who did what, in the transaction of the change. It names the actor, but not the key. */
export async function recordAudit(
  context: Author,
  tx: PlatformTx,
  { organizationId, action, target, details = {} }: AuditedChange,
): Promise<void> {
  await auditEntries.insert(tx, {
    id: newTimeOrderedId(),
    organization_id: organizationId,
    occurred: context.now,
    ...doerOf(context),
    action,
    target_type: target.type,
    target_id: target.id,
    target_name: target.name ?? null,
    details: jsonTextOf(details),
  });
}

/** A command on the machine itself has no caller. */
function doerOf({ isOperator, caller, address }: Author) {
  if (isOperator) return { actor_type: 'operator', actor_id: null, actor_name: 'operator', address: null };
  const actor = caller?.actor;
  return {
    actor_type: actor?.type ?? 'system',
    actor_id: actor?.id ?? null,
    actor_name: actor?.name ?? 'system',
    address: address === '' ? null : address,
  };
}

interface Target {
  readonly id: string;
  readonly name?: string | null;
  readonly email?: string;
  readonly organization_id?: string | null;
}

/**
 * Writes `<noun>.<verb>` about a row. A person is named by address. The organization is that of the row, or else that
 * of the context. `type` is the target's type if it differs from the noun.
 */
export function auditIn(noun: string, type = noun) {
  return (
    context: Author & Partial<Pick<OrganizationChange, 'organization'>>,
    tx: PlatformTx,
    verb: string,
    { id, name, email, organization_id = context.organization?.id ?? null }: Target,
    details: AuditedChange['details'] = {},
  ): Promise<void> =>
    recordAudit(context, tx, {
      organizationId: organization_id,
      action: `${noun}.${verb}`,
      target: { type, id, name: email ?? name },
      details,
    });
}
