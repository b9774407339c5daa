/** Chooses the object of an action. Source: docs.prefect.io/v3/concepts/automations; `actions.test.ts` shows it. */
import type { Resource } from '../../../events/record.ts';
import { firstOfKind, type Invocation, idOfKind } from './invocation.ts';
import { target } from './outcome.ts';

/**
 * Kinds of objects with their names in actions (`deployment_id`), in events (`prefect.work-pool.…`) and in sentences.
 */
export const kinds = {
  deployment: { resource: 'deployment', words: 'deployment' },
  work_pool: { resource: 'work-pool', words: 'work pool' },
  work_queue: { resource: 'work-queue', words: 'work queue' },
  automation: { resource: 'automation', words: 'automation' },
} as const;
export type Kind = keyof typeof kinds;

/** The object that an action names, or that its event names. */
export function chosenId({ action, event }: Invocation, kind: Kind): string | { reason: string } {
  const { resource, words } = kinds[kind];
  if (action['source'] === 'selected') return String(action[`${kind}_id`]);
  if (!event) return { reason: `No event to infer the ${words}` };
  return firstOfKind(event, resource) ?? { reason: `No ${words} could be inferred` };
}

/** The run by which the trigger groups its events, else the first that the event names. */
export function inferredFlowRun({ labels, event }: Invocation): string | undefined {
  return idOfKind(labels['prefect.resource.id'], 'flow-run') ?? firstOfKind(event, 'flow-run');
}

/** The objects that a refused action would have changed. A work pool is named only after it was found. */
export function intendedTargets(invocation: Invocation): Resource[] {
  if (invocation.type.endsWith('flow-run') || invocation.type === 'change-flow-run-state') {
    const id = inferredFlowRun(invocation);
    return id === undefined ? [] : [target('flow-run', id)];
  }
  const kind = (['deployment', 'work_queue', 'automation'] as const).find((name) =>
    invocation.type.endsWith(kinds[name].resource),
  );
  const id = kind && chosenId(invocation, kind);
  return kind && typeof id === 'string' ? [target(kinds[kind].resource, id)] : [];
}
