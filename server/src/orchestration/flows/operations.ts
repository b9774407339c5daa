import type { Context } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { NotFound } from '../../errors.ts';
import { recordEvent } from '../../events/record.ts';
import { newId, newTimeOrderedId } from '../../id.ts';
import { type JsonText, jsonTextOf } from '../../json.ts';
import type { RelatedFilters } from '../filters/related-conditions.ts';
import { deleteOwnLimitsOfFlow } from '../limits/global-limits/deployment-limit.ts';
import { type FlowRow, findFlow } from '../lookups/flows.ts';
import { findFlowByName, insertFlowIfAbsent, listFlows, markFlowRemoved, updateFlowTags } from './queries.ts';
import { removeFlow } from './remove.ts';
import type { FlowCreate, FlowUpdate } from './schema.ts';

/**
 * Creates a flow, or returns the stored one unchanged when the name is taken: the tags and labels of the second request
 * are ignored. Source: `POST /flows/` of the Prefect server 3.9.1, as the comparison in server/test/reference asks it.
 */
export function createFlow(context: Context, input: FlowCreate): Promise<{ flow: FlowRow; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const inserted = await insertFlowIfAbsent(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name: input.name,
      tags: jsonTextOf(input.tags ?? []),
      labels: input.labels ?? ('{}' as JsonText),
      removed: null,
    });
    if (inserted) {
      await recordFlowEvent(context, tx, 'created', inserted);
      return { flow: inserted, isNew: true };
    }
    const stored = await findFlowByName(tx, input.name);
    if (!stored) throw new Error('A flow with this name vanished while it was created.');
    return { flow: stored, isNew: false };
  });
}

/** Replaces the tags when they are given; an empty change still counts as one. Throws NotFound. */
export function updateFlow(context: Context, id: string, input: FlowUpdate): Promise<void> {
  return context.transaction(async (tx) => {
    const stored = await findFlow(tx, id);
    if (!stored) throw new NotFound('Flow not found');
    const tags = input.tags === undefined ? stored.tags : jsonTextOf(input.tags);
    const flow = await updateFlowTags(tx, { id, tags, updated: context.now });
    if (flow) await recordFlowEvent(context, tx, 'updated', flow);
  });
}

/** Deletes the flow with its runs and deployments; runs of other flows that its runs started stay. Throws NotFound. */
export async function deleteFlow(context: Context, id: string): Promise<void> {
  if (!(await hideFlows(context, [id]))[0]) throw new NotFound('Flow not found');
  await removeFlow(context, id);
}

/** Deletes up to `limit` matching flows; returns their ids. */
export async function bulkDeleteFlows(context: Context, filters: RelatedFilters, limit: number): Promise<string[]> {
  const flows = await listFlows(context.db, filters, { sort: 'NAME_ASC', limit, offset: 0 });
  const deleted = await hideFlows(
    context,
    flows.map(({ id }) => id),
  );
  for (const id of deleted) await removeFlow(context, id);
  return deleted;
}

/** Hides the flows that exist; returns their ids in the given order. */
function hideFlows(context: Context, ids: readonly string[]): Promise<string[]> {
  return context.transaction(async (tx) => {
    const hidden: string[] = [];
    for (const id of ids) {
      await deleteOwnLimitsOfFlow(tx, id);
      const flow = await markFlowRemoved(tx, id, context.now);
      if (!flow) continue;
      await recordFlowEvent(context, tx, 'deleted', flow);
      hidden.push(id);
    }
    return hidden;
  });
}

async function recordFlowEvent(
  context: Context,
  tx: Tx,
  change: 'created' | 'updated' | 'deleted',
  flow: FlowRow,
): Promise<void> {
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `prefect.flow.${change}`,
    resource: { 'prefect.resource.id': `prefect.flow.${flow.id}`, 'prefect.resource.name': flow.name },
    related: [],
    payload: `{"name":${JSON.stringify(flow.name)},"tags":${flow.tags},"labels":${flow.labels ?? '{}'}}` as JsonText,
    follows: null,
  });
}
