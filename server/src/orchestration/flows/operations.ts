import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { Conflict, found } from '../../errors.ts';
import { type Change, recordChange } from '../../events/record-change.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import type { RelatedFilters } from '../filters/related-conditions.ts';
import { deleteOwnLimitsOfFlow } from '../limits/global-limits/deployment-limit.ts';
import { type FlowRow, flows } from '../lookups/flows.ts';
import { listFlows, markFlowRemoved } from './queries.ts';
import { removeFlow } from './remove.ts';
import type { FlowCreate, FlowUpdate } from './schema.ts';

export const MISSING = 'Flow not found';

/**
 * Creates a flow, or returns the stored one unchanged when the name is taken: the tags and labels of the second request
 * are ignored. Source: `POST /flows/` of the Prefect server 3.9.1, with which server/test/reference compares.
 */
export function createFlow(context: Context, input: FlowCreate): Promise<{ flow: FlowRow; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const inserted = await flows.insertUnlessThere(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name: input.name,
      tags: jsonTextOf(input.tags ?? []),
      labels: input.labels ?? ('{}' as JsonText),
      removed: null,
    });
    if (inserted) {
      await record(context, tx, 'created', inserted);
      return { flow: inserted, isNew: true };
    }
    const stored = await flows.first(tx, { name: input.name });
    // A flow that is being removed has its id as its name.
    if (!stored) throw new Conflict('A flow with this name is being deleted.');
    return { flow: stored, isNew: false };
  });
}

/** Replaces the tags when they are given; an empty change still counts as one. Throws NotFound. */
export function updateFlow(context: Context, id: string, { tags }: FlowUpdate): Promise<void> {
  const change = { tags: tags && jsonTextOf(tags), updated: context.now };
  return context.transaction(async (tx) => {
    const flow = found(await flows.change(tx, { id }, change), MISSING);
    await record(context, tx, 'updated', flow);
  });
}

/** Deletes the flow with its runs and deployments; runs of other flows that its runs started stay. Throws NotFound. */
export async function deleteFlow(context: Context, id: string): Promise<void> {
  found((await hideFlows(context, [id]))[0], MISSING);
  await removeFlow(context, id);
}

/** Deletes up to `limit` matching flows; returns their ids. */
export async function bulkDeleteFlows(context: Context, filters: RelatedFilters, limit: number): Promise<string[]> {
  const matching = await listFlows(context.db, filters, { sort: 'NAME_ASC', limit, offset: 0 });
  const deleted = await hideFlows(
    context,
    matching.map(({ id }) => id),
  );
  for (const id of deleted) await removeFlow(context, id);
  return deleted;
}

/** Hides the flows that exist; returns their ids in the given order. */
export function hideFlows(context: Context, ids: readonly string[]): Promise<string[]> {
  return context.transaction(async (tx) => {
    const hidden: string[] = [];
    for (const id of ids) {
      await tx.run(deleteOwnLimitsOfFlow, { flow_id: id });
      const flow = await markFlowRemoved(tx, id, context.now);
      if (!flow) continue;
      await record(context, tx, 'deleted', flow);
      hidden.push(id);
    }
    return hidden;
  });
}

function record(context: Context, tx: Tx, change: Change, flow: FlowRow): Promise<void> {
  const { name, tags, labels } = flow;
  const payload = `{"name":${JSON.stringify(name)},"tags":${tags},"labels":${labels ?? '{}'}}` as JsonText;
  return recordChange(context, tx, 'flow', change, flow, payload);
}
