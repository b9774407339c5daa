import type { PlatformTx } from '../../database/store.ts';
import type { Row } from '../../database/tables.ts';
import { newTimeOrderedId } from '../../id.ts';
import { insertAuditEntry } from '../../identity/audit-entry.ts';
import { jsonTextOf } from '../../json.ts';
import type { Author, OrganizationChange } from '../../platform-context.ts';
import type { Timestamp } from '../../time.ts';

export interface AuditedChange {
  /** Null for what concerns no organization: a personal key, a session. */
  readonly organizationId: string | null;
  /** For example `service_account.create`. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  /** Further facts for a reader of the audit; never a secret, never a key. */
  readonly details?: Readonly<Record<string, unknown>>;
}

type Doer = Pick<Row<'audit_entry'>, 'actor_type' | 'actor_id' | 'actor_name' | 'address'>;

/** Writes who did what, in the transaction that does it. It names the actor, never which key. */
export function recordAudit(context: Author, tx: PlatformTx, change: AuditedChange): Promise<void> {
  if (context.isOperator) return recordOperatorAudit(tx, context.now, change);
  const actor = context.caller?.actor;
  return insert(tx, context.now, change, {
    actor_type: actor?.type ?? 'system',
    actor_id: actor?.id ?? null,
    actor_name: actor?.name ?? 'system',
    address: context.address === '' ? null : context.address,
  });
}

interface Target {
  readonly id: string;
  readonly name?: string | null;
  readonly email?: string;
  readonly organization_id?: string | null;
}

/**
 * Writes `<noun>.<verb>` about a row. The organization is the row's; a row that names none belongs to the one of the
 * context. `type` is the target's where it is not the noun.
 */
export function auditIn(noun: string, type = noun) {
  return (
    context: Author & Partial<Pick<OrganizationChange, 'organization'>>,
    tx: PlatformTx,
    verb: string,
    { id, email, name = email, organization_id = context.organization?.id ?? null }: Target,
    details: AuditedChange['details'] = {},
  ): Promise<void> =>
    recordAudit(context, tx, {
      organizationId: organization_id,
      action: `${noun}.${verb}`,
      target: { type, id, ...(typeof name === 'string' && { name }) },
      details,
    });
}

/** The same for a command on the machine itself. */
export function recordOperatorAudit(tx: PlatformTx, now: Timestamp, change: AuditedChange): Promise<void> {
  return insert(tx, now, change, { actor_type: 'operator', actor_id: null, actor_name: 'operator', address: null });
}

async function insert(tx: PlatformTx, now: Timestamp, change: AuditedChange, doer: Doer): Promise<void> {
  await tx.run(insertAuditEntry, {
    id: newTimeOrderedId(),
    organization_id: change.organizationId,
    occurred: now,
    ...doer,
    action: change.action,
    target_type: change.target.type,
    target_id: change.target.id,
    target_name: change.target.name ?? null,
    details: jsonTextOf(change.details ?? {}),
  });
}
