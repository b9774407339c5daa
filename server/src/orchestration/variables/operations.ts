import type { Context } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { Conflict, IntegrityConflict, NotFound } from '../../errors.ts';
import { recordEvent } from '../../events/record.ts';
import { newId, newTimeOrderedId } from '../../id.ts';
import { type JsonText, jsonTextOf } from '../../json.ts';
import {
  deleteVariableRow,
  findVariable,
  insertVariableIfAbsent,
  updateVariableRow,
  type VariableKey,
  type VariableRow,
} from './queries.ts';
import type { VariableCreate, VariableUpdate } from './schema.ts';

/** Throws Conflict when the name is taken. */
export function createVariable(context: Context, input: VariableCreate): Promise<VariableRow> {
  return context.transaction(async (tx) => {
    const variable = await insertVariableIfAbsent(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name: input.name,
      value: input.value,
      tags: jsonTextOf(input.tags ?? []),
    });
    if (!variable) throw new Conflict(`A variable with the name '${input.name}' already exists.`);
    await recordVariableEvent(context, tx, 'created', variable);
    return variable;
  });
}

/**
 * Changes what is given; without any field, only the time of the last change. Throws NotFound, and IntegrityConflict
 * when the new name is taken, or a name or tags are given as null.
 */
export function updateVariable(context: Context, key: VariableKey, input: VariableUpdate): Promise<void> {
  const { name, value, tags } = input;
  return context.transaction(async (tx) => {
    if (name === null || tags === null) {
      throw (await findVariable(tx, key)) ? new IntegrityConflict() : missingVariable();
    }
    const variable = await updateVariableRow(tx, key, {
      updated: context.now,
      ...(name === undefined ? {} : { name }),
      ...(value === undefined ? {} : { value }),
      ...(tags === undefined ? {} : { tags: jsonTextOf(tags) }),
    });
    if (!variable) throw missingVariable();
    await recordVariableEvent(context, tx, 'updated', variable);
  });
}

/** Throws NotFound. */
export function deleteVariable(context: Context, key: VariableKey): Promise<void> {
  return context.transaction(async (tx) => {
    const variable = await deleteVariableRow(tx, key);
    if (!variable) throw missingVariable();
    await recordVariableEvent(context, tx, 'deleted', variable);
  });
}

export function missingVariable(): NotFound {
  return new NotFound('Variable not found.');
}

async function recordVariableEvent(
  context: Context,
  tx: Tx,
  change: 'created' | 'updated' | 'deleted',
  { id, name, value, tags }: VariableRow,
): Promise<void> {
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `prefect.variable.${change}`,
    resource: { 'prefect.resource.id': `prefect.variable.${id}`, 'prefect.resource.name': name },
    related: [],
    payload: `{"name":${JSON.stringify(name)},"value":${value},"tags":${tags}}` as JsonText,
    follows: null,
  });
}
