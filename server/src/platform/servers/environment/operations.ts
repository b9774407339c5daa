import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { found, NamedConflict, ValidationFailed } from '../../../errors.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { audit } from '../server/audit.ts';
import { type ServerRow, servers } from '../server/queries.ts';
import { countVariables, putVariable, serverVariables, type VariableRow } from './queries.ts';
import { nameProblem, type VariablePut } from './schema.ts';

export const MISSING = 'Variable not found.';

const MAX_VARIABLES = 200;

/**
 * Takes effect for processes that start from now on; running ones are replaced. The next pass of `manifests` reads the
 * server's manifest again. The pass is not woken, because variables are often set one after another.
 */
export function setVariable(
  context: OrganizationContext,
  owner: ServerRow,
  name: string,
  given: VariablePut,
): Promise<VariableRow> {
  return context.transaction((tx) => storeVariable(context, tx, owner, name, given));
}

/** Stores a variable as a part of a larger change. */
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
  const known = await serverVariables.first(tx, { server_id: owner.id, name });
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
  await askAnew(context, tx, owner);
  await audit(context, tx, 'environment.set', owner, { name, sensitive: given.sensitive });
  return row!;
}

export function removeVariable(context: OrganizationContext, owner: ServerRow, name: string): Promise<void> {
  return context.transaction(async (tx) => {
    found(await serverVariables.remove(tx, { server_id: owner.id, name }), MISSING);
    await askAnew(context, tx, owner);
    await audit(context, tx, 'environment.delete', owner, { name });
  });
}

/** Makes the server's manifest due, even if it is being read at this moment. */
async function askAnew({ now, server }: OrganizationContext, tx: PlatformTx, { id }: ServerRow): Promise<void> {
  await servers.changeAll(tx, { id }, { updated: now, manifest_due: now });
  tx.afterCommit(() => server.hub.tell('servers', id, 'environment'));
}
