/** Records the event that an object was made, changed or deleted. */
import type { Tx } from '../database/store.ts';
import { newTimeOrderedId } from '../values/id.ts';
import type { JsonText } from '../values/json.ts';
import { type RecordingContext, type Resource, recordEvent } from './record.ts';

export type Change = 'created' | 'updated' | 'deleted';

/**
 * `kind` is, for example, `variable` for `prefect.variable.created`. A few kinds have other changes than the usual
 * three.
 */
export async function recordChange(
  context: RecordingContext,
  tx: Tx,
  kind: string,
  change: string,
  { id, name }: { readonly id: string; readonly name: string },
  payload: JsonText,
  related: readonly Resource[] = [],
): Promise<void> {
  const resource = `prefect.${kind}`;
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `${resource}.${change}`,
    resource: { 'prefect.resource.id': `${resource}.${id}`, 'prefect.resource.name': name },
    related,
    payload,
    follows: null,
  });
}

/** A related resource: another object that the event concerns. */
export function relatedResource(kind: string, id: string, role = kind): Resource {
  return { 'prefect.resource.id': `prefect.${kind}.${id}`, 'prefect.resource.role': role };
}
