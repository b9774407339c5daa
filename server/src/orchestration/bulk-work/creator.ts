/** A work acts as its creator, with the rights that the creator has when each run is changed. */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { type Actor, isAtLeast } from '../../identity/access/access.ts';
import { roleOfActor } from '../../identity/access/actor-role.ts';
import { roleFor } from '../../identity/access/permissions.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../values/json.ts';
import type { CreatedBy } from '../filters/field-schema.ts';

/** Null where the access mode identifies no caller. */
export function storedCreator({ actor }: Context): JsonText | null {
  if (!actor) return null;
  const type = actor.type === 'user' ? 'USER' : 'BOT';
  return jsonTextOf({ id: actor.id, type, display_value: actor.name } satisfies CreatedBy);
}

function actorOf(stored: JsonText): Actor {
  const { id, type, display_value } = parseJson(stored) as { id: string; type: 'USER' | 'BOT'; display_value: string };
  return { type: type === 'USER' ? 'user' : 'service_account', id, name: display_value };
}

/** The context in which the creator acts, or the reason why the creator may not. */
export async function asCreator(
  context: Context,
  tx: Tx,
  stored: JsonText | null,
): Promise<{ readonly context: Context } | { readonly refusal: string }> {
  if (stored === null) return { context };
  const actor = actorOf(stored);
  const { role, reason } = await roleOfActor(tx, context.workspace, actor.id);
  if (role !== null && isAtLeast(role, roleFor('flow_runs:write'))) return { context: { ...context, actor, role } };
  return { refusal: `${actor.name} may no longer change runs in this workspace: ${reason}.` };
}
