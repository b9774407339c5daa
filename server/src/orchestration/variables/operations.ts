import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { Conflict, found, IntegrityConflict } from '../../errors.ts';
import { type Change, recordChange } from '../../events/record-change.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import { type VariableKey, type VariableRow, variables } from './queries.ts';
import type { VariableCreate, VariableUpdate } from './schema.ts';

export const MISSING = 'Variable not found.';

/** Throws Conflict when the name is taken. */
export function createVariable(context: Context, input: VariableCreate): Promise<VariableRow> {
  const { now } = context;
  return context.transaction(async (tx) => {
    const row = { ...input, id: newId(), created: now, updated: now, tags: jsonTextOf(input.tags ?? []) };
    const created = await variables.insertUnlessThere(tx, row);
    if (!created) throw new Conflict(`A variable with the name '${input.name}' already exists.`);
    await record(context, tx, 'created', created);
    return created;
  });
}

/**
 * Changes the given fields; without any, only the time of the last change. Throws NotFound, and IntegrityConflict when
 * the new name is taken, or when a name or tags are given as null.
 */
export function updateVariable(context: Context, key: VariableKey, input: VariableUpdate): Promise<void> {
  const { name, value, tags } = input;
  return context.transaction(async (tx) => {
    if (name === null || tags === null) {
      found(await variables.first(tx, key), MISSING);
      throw new IntegrityConflict();
    }
    const change = { name, value, tags: tags && jsonTextOf(tags), updated: context.now };
    await record(context, tx, 'updated', found(await variables.change(tx, key, change), MISSING));
  });
}

/** Throws NotFound. */
export function deleteVariable(context: Context, key: VariableKey): Promise<void> {
  return context.transaction(async (tx) =>
    record(context, tx, 'deleted', found(await variables.remove(tx, key), MISSING)),
  );
}

function record(context: Context, tx: Tx, change: Change, variable: VariableRow): Promise<void> {
  const { name, value, tags } = variable;
  const payload = `{"name":${JSON.stringify(name)},"value":${value},"tags":${tags}}` as JsonText;
  return recordChange(context, tx, 'variable', change, variable, payload);
}
