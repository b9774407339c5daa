import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { ObjectNotFound, ValidationFailed } from '../../errors.ts';
import { recordChange } from '../../events/record-change.ts';
import { roleOfActor } from '../../identity/access/actor-role.ts';
import { recordWorkspaceAudit } from '../../identity/audit/workspace-audit.ts';
import { findActivePerson } from '../../identity/people/person.ts';
import { changed } from '../../recurrence/recurrence.ts';
import { jsonTextOf } from '../../values/json.ts';
import { causes, findCause, lockCause } from './queries.ts';
import type { FailureCauseUpdate } from './schema.ts';
import { nameOf } from './sort.ts';

/** Throws ObjectNotFound, and ValidationFailed for an owner who has no role in the workspace or a time in the past. */
export function updateCause(context: Context, id: string, input: FailureCauseUpdate) {
  const { now } = context;
  if (input.muted_until && input.muted_until <= now) invalid('muted_until', 'The time must be in the future.');
  return context.transaction(async (tx) => {
    const before = (await tx.first(lockCause, { id })) ?? missingCause();
    const { resolved, muted_until, muted_for, owner_id } = input;
    const owner = owner_id == null ? owner_id : await ownerOf(context, tx, owner_id);
    const part = changed(
      before,
      {
        ...(resolved != null && { resolved }),
        ...(muted_until !== undefined && { muted_until }),
        ...(muted_for !== undefined && { muted_for }),
        ...(owner !== undefined && { owner }),
      },
      now,
    );
    await causes.changeAll(tx, { id }, { ...part, updated: now });
    const after = (await findCause({ db: tx, now }, id)) ?? missingCause();
    const name = nameOf(after.flow_name, after.cause);
    await recordChange(context, tx, 'failure-cause', 'updated', { id, name }, jsonTextOf(part));
    await recordWorkspaceAudit(tx, context, {
      action: 'failure_cause.update',
      target: { type: 'failure_cause', id, name },
      details: part,
    });
    return after;
  });
}

async function ownerOf(context: Context, tx: Tx, id: string) {
  const { role } = await roleOfActor(tx, context.workspace, id);
  const person = role === null ? undefined : await tx.first(findActivePerson, { id });
  if (!person) return invalid('owner_id', 'The owner must be a person with a role in this workspace.');
  return { id, name: person.name ?? person.email };
}

export function missingCause(): never {
  throw new ObjectNotFound('Failure cause not found');
}

function invalid(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', field], msg }]);
}
