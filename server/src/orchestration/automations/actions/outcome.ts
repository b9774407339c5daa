/** What became of an action, and the events that tell of it. */
import type { Context } from '../../../context.ts';
import type { Tx } from '../../../database/store.ts';
import { type ApiError, ValidationFailed } from '../../../errors.ts';
import { type Resource, recordEvent } from '../../../events/record.ts';
import { newTimeOrderedId } from '../../../id.ts';
import { type JsonText, jsonTextOf } from '../../../json.ts';
import { pythonRepr } from '../../../python-text.ts';
import type { Invocation } from './invocation.ts';

export interface Outcome {
  /** Why the action failed; undefined when it was carried out. */
  readonly reason?: string | undefined;
  /** What the action touched. */
  readonly related: readonly Resource[];
  /** What else the event tells, after the reason. */
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
 * How a refusal of an operation is told. Source: reference behaviour; there, actions are calls of its own API and the
 * refusals are the statuses of their answers.
 */
export function refusal({ type }: Invocation, error: ApiError, related: readonly Resource[]): Outcome {
  const { status, message } = error;
  const details = { status_code: status };
  if (status !== 409 && status !== 422) {
    return { reason: `Unexpected status from ${pythonRepr(type)} action: ${status}`, related, details };
  }
  // What does not fit a schema has no sentence in the reference's answer.
  const more = error instanceof ValidationFailed ? '' : ` - ${message}`;
  return { reason: `Validation error occurred for ${pythonRepr(type)}${more}`, related, details };
}

/**
 * Tells that an action was begun, and how it ended. The first event follows the one that triggered the action, the second
 * the first. Source: reference behaviour, "Automations".
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
    eventResource(String(firing['id']), 'automation-triggered-event'),
    ...(event ? [eventResource(event.id, 'triggering-event')] : []),
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

function eventResource(id: string, role: string): Resource {
  return { 'prefect.resource.id': `prefect.event.${id}`, 'prefect.resource.role': role };
}
