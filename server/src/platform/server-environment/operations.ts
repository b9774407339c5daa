import type { PlatformTx } from '../../database/store.ts';
import { NamedConflict, NotFound, ValidationFailed } from '../../errors.ts';
import { newTimeOrderedId } from '../../id.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { makeManifestDue } from '../servers/manifest-queries.ts';
import type { ServerRow } from '../servers/queries.ts';
import { countVariables, deleteVariable, findVariable, putVariable, type VariableRow } from './queries.ts';
import { nameProblem, type VariablePut } from './schema.ts';

const MAX_VARIABLES = 200;

/**
 * In force for processes that start from now on; running ones are replaced. The next pass of `manifests` reads again
 * what the server offers. The pass is not woken, because variables are often set one after another.
 */
export function setVariable(
  context: OrganizationContext,
  owner: ServerRow,
  name: string,
  given: VariablePut,
): Promise<VariableRow> {
  return context.transaction((tx) => storeVariable(context, tx, owner, name, given));
}

/** As a part of a larger change. */
export async function storeVariable(
  context: OrganizationContext,
  tx: PlatformTx,
  owner: ServerRow,
  name: string,
  given: VariablePut,
): Promise<VariableRow> {
  const problem = nameProblem(name);
  if (problem)
    throw new ValidationFailed([{ type: 'value_error', loc: ['path', 'name'], msg: `The name ${problem}.` }]);
  const { now, server } = context;
  const known = await tx.first(findVariable, { server_id: owner.id, name });
  const { count = 0 } = (await tx.first(countVariables, { server_id: owner.id })) ?? {};
  if (!known && count >= MAX_VARIABLES) {
    throw new NamedConflict('too_many_variables', `A server has at most ${MAX_VARIABLES} variables.`);
  }
  const row = await tx.first(putVariable, {
    id: newTimeOrderedId(),
    created: now,
    updated: now,
    server_id: owner.id,
    name,
    encrypted_value: server.encryption.encrypt(given.value),
    sensitive: given.sensitive,
    description: given.description,
  });
  await tx.run(makeManifestDue, { id: owner.id, now });
  await recordAudit(context, tx, {
    organizationId: owner.organization_id,
    action: 'server.environment.set',
    target: { type: 'server', id: owner.id, name: owner.name },
    details: { name, sensitive: given.sensitive },
  });
  tx.afterCommit(() => server.serverChanges.publish(owner.id, 'environment'));
  return row!;
}

export function removeVariable(context: OrganizationContext, owner: ServerRow, name: string): Promise<void> {
  return context.transaction(async (tx) => {
    const deleted = await tx.run(deleteVariable, { server_id: owner.id, name });
    if (deleted === 0) throw new NotFound('Variable not found.');
    await tx.run(makeManifestDue, { id: owner.id, now: context.now });
    await recordAudit(context, tx, {
      organizationId: owner.organization_id,
      action: 'server.environment.delete',
      target: { type: 'server', id: owner.id, name: owner.name },
      details: { name },
    });
    tx.afterCommit(() => context.server.serverChanges.publish(owner.id, 'environment'));
  });
}
