/** The result of an action, and the events that report it. */

import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { type ApiError, ValidationFailed } from '../../../errors.ts';
import { type Resource, recordEvent } from '../../../events/record.ts';
import { relatedResource } from '../../../events/record-change.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../../values/json.ts';
import { pythonRepr } from '../../../values/python-text.ts';
import type { Invocation } from './invocation.ts';

export interface Outcome {
  /** The reason for the failure; undefined when the action succeeded. */
  readonly reason?: string | undefined;
  /** The objects that the action changed. */
  readonly related: readonly Resource[];
  /** Further fields of the event, after the reason. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export function target(kind: string, id: string, name?: string): Resource {
  return {
    'prefect.resource.id': `prefect.${kind}.${id}`,
    'prefect.resource.role': 'target',
    ...(name === undefined ? {} : { 'prefect.resource.name': name }),
  };
}

/**
 * The outcome of a refused operation. On the reference, actions call its own API, and their refusals are the statuses
 * of the answers; `actions.test.ts` shows the texts.
 */
export function refusal({ type }: Invocation, error: ApiError, related: readonly Resource[]): Outcome {
  const { status, message } = error;
  const details = { status_code: status };
  if (status !== 409 && status !== 422) {
    return { reason: `Unexpected status from ${pythonRepr(type)} action: ${status}`, related, details };
  }
  // The reference's answer has no sentence for a value that does not fit a schema.
  const more = error instanceof ValidationFailed ? '' : ` - ${message}`;
  return { reason: `Validation error occurred for ${pythonRepr(type)}${more}`, related, details };
}

/**
 * Records that an action began, and how it ended. The first event follows the one that triggered the action, the second
 * follows the first. Source: the events of the Prefect server 3.9.1.
 */
export async function recordOutcome(
  context: Context,
  tx: Tx,
  invocation: Invocation,
  { reason, related, details }: Outcome,
): Promise<void> {
  const { automationId, automation, firing, event } = invocation;
  const trigger = firing['trigger'] as { type?: string; posture?: string } | undefined;
  const resource: Resource = {
    'prefect.resource.id': `prefect.automation.${automationId}`,
    'prefect.resource.name': automation?.name ?? '',
    'prefect.trigger-type': trigger?.type ?? '',
    ...(trigger?.type === 'event' && trigger.posture ? { 'prefect.posture': trigger.posture } : {}),
  };
  const about = [
    ...related,
    relatedResource('event', String(firing['id']), 'automation-triggered-event'),
    ...(event ? [relatedResource('event', event.id, 'triggering-event')] : []),
  ];
  const payload = { action_index: invocation.index, action_type: invocation.type, invocation: invocation.id };
  const write = async (name: string, follows: string | null, more: object): Promise<string> => {
    const id = newTimeOrderedId();
    await recordEvent(context, tx, {
      id,
      occurred: context.server.clock.now(),
      event: `prefect.automation.action.${name}`,
      resource,
      related: about,
      payload: jsonTextOf({ ...payload, ...more }) as JsonText,
      follows,
    });
    return id;
  };
  const triggered = await write('triggered', event?.id ?? null, {});
  if (reason === undefined) await write('executed', triggered, details ?? {});
  else await write('failed', triggered, { reason, ...details });
}
