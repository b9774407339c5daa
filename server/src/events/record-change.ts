/** The event that says that an object was made, changed or deleted. */
import type { Tx } from '../database/store.ts';
import { newTimeOrderedId } from '../id.ts';
import type { JsonText } from '../json.ts';
import type { Timestamp } from '../time.ts';
import { recordEvent } from './record.ts';

export type Change = 'created' | 'updated' | 'deleted';

/** `kind`: `variable` for `prefect.variable.created`. */
export async function recordChange(
  context: Parameters<typeof recordEvent>[0] & { readonly now: Timestamp },
  tx: Tx,
  kind: string,
  change: Change,
  { id, name }: { readonly id: string; readonly name: string },
  payload: JsonText,
): Promise<void> {
  const resource = `prefect.${kind}`;
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `${resource}.${change}`,
    resource: { 'prefect.resource.id': `${resource}.${id}`, 'prefect.resource.name': name },
    related: [],
    payload,
    follows: null,
  });
}
