import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { BadRequest, found, notFound, ObjectNotFound, ValidationFailed } from '../../../errors.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { Labels } from '../../filters/field-schema.ts';
import type { RelatedFilters } from '../../filters/related-conditions.ts';
import { giveBackSlotsIn } from '../../limits/global-limits/slots.ts';
import { deployedJobVariables } from '../../lookups/deployments.ts';
import { requireFit, runJobVariableFault } from '../../parameters/job-variables.ts';
import { checkParameterSize } from '../../parameters/parameter-size.ts';
import { deleteFlowRunRow, emptyFlowRuns } from '../removal.ts';
import { defaultFlowRunPolicy, encodeFlowRunPolicy } from '../rows/flow-run-policy.ts';
import {
  type FlowRunRow,
  findFlowRun,
  limitHeldWithoutLease,
  MISSING,
  updateFlowRunColumns,
} from '../rows/flow-runs.ts';
import { randomRunName } from '../rows/random-name.ts';
import { normalisePolicy } from '../rows/retry-policy.ts';
import type { Proposal } from '../rows/state.ts';
import { transitionFlowRun } from '../state-machine.ts';
import type { Orchestrated } from '../states/orchestration-result.ts';
import { listFlowRuns } from './list-queries.ts';
import type { FlowRunUpdate } from './schema.ts';

/** Runs deleted in one transaction. A small number keeps the wait of other writers short. */
const DELETED_TOGETHER = 20;

/**
 * Proposes a state for a run. Throws ObjectNotFound when the run does not exist.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function setFlowRunState(
  context: Context,
  id: string,
  proposal: Proposal,
  force: boolean,
): Promise<Orchestrated> {
  return context.sharedTransaction(id, async (tx) => {
    const result = await transitionFlowRun(context, tx, id, proposal, force);
    if (!result) throw new ObjectNotFound(`Flow run with id ${id} not found`);
    return result;
  });
}

/** Proposes a state for up to `limit` matching runs, each in its own transaction. A missing run gets an ABORT. */
export async function bulkSetFlowRunState(
  context: Context,
  filters: RelatedFilters,
  limit: number,
  proposal: Proposal,
  force: boolean,
) {
  const runs = await listFlowRuns(context.db, filters, { sort: 'ID_DESC', limit, offset: 0 });
  const settled = runs.map(async ({ id }) => {
    try {
      return { flow_run_id: id, ...(await setFlowRunState(context, id, proposal, force)).body };
    } catch (error) {
      if (!(error instanceof ObjectNotFound)) throw error;
      return {
        flow_run_id: id,
        status: 'ABORT',
        state: null,
        details: { type: 'abort_details', reason: error.message },
      };
    }
  });
  return { results: await Promise.all(settled) };
}

/**
 * Changes the given columns. Throws NotFound, BadRequest when job variables can no longer change, and Unprocessable
 * when they do not fit the pool.
 */
export function updateFlowRun(context: Context, id: string, input: FlowRunUpdate): Promise<void> {
  checkParameterSize(input.parameters, context.server.config.maxParameterBytes);
  return context.transaction(async (tx) => {
    if (input.job_variables !== undefined && input.job_variables !== null) {
      const run = found(await findFlowRun(tx, id), MISSING);
      if (run.state_type !== 'SCHEDULED') {
        throw new BadRequest(`Job variables for a flow run in state ${run.state_type} cannot be updated`);
      }
      const deployment =
        run.deployment_id === null ? undefined : await tx.first(deployedJobVariables, { id: run.deployment_id });
      if (!deployment) throw new BadRequest('A deployment for the flow run could not be found');
      requireFit(runJobVariableFault(deployment, input.job_variables), 'Error updating flow run: ');
    }
    // An empty change also moves `updated`, as on the Prefect server.
    if (!(await updateFlowRunColumns(tx, id, { ...changeOf(input), updated: context.now }))) notFound(MISSING);
  });
}

function changeOf({ name, tags, empirical_policy: policy, ...plain }: FlowRunUpdate): Partial<FlowRunRow> {
  return {
    ...plain,
    name: name === undefined ? undefined : name || randomRunName(),
    tags: tags && jsonTextOf(tags),
    empirical_policy: policy && encodeFlowRunPolicy({ ...defaultFlowRunPolicy, ...normalisePolicy(policy) }),
  };
}

const decodeLabels = compileDecoder(Labels, 'body');

/**
 * Merges labels into those of the run. Throws ObjectNotFound, and ValidationFailed for values that are not labels. The
 * Prefect server 3.9.1 accepts such values and then cannot read the run.
 */
export function updateFlowRunLabels(context: Context, id: string, labels: JsonText): Promise<void> {
  const decoded = decodeLabels(parseObject(labels));
  if (!decoded.ok) throw new ValidationFailed(decoded.issues);
  return context.transaction(async (tx) => {
    const run = await findFlowRun(tx, id);
    if (!run) throw new ObjectNotFound(`Flow run with id ${id} not found`);
    const merged = jsonTextOf({ ...parseObject(run.labels), ...parseObject(labels) });
    await updateFlowRunColumns(tx, id, { labels: merged, updated: context.now });
  });
}

/** Throws NotFound. */
export async function deleteFlowRun(context: Context, id: string): Promise<void> {
  await emptyFlowRuns(context, [id]);
  await context.transaction(async (tx) => {
    if (!(await deleteFlowRunIn(context, tx, id))) notFound(MISSING);
  });
}

/**
 * Deletes a run after `emptyFlowRuns`. False when it does not exist. Ends its leases and releases the slot that its client
 * took without one.
 */
export async function deleteFlowRunIn(context: Context, tx: Tx, id: string): Promise<boolean> {
  const limit = await tx.first(limitHeldWithoutLease, { id });
  if (!(await deleteFlowRunRow(tx, id))) return false;
  if (limit) await giveBackSlotsIn(context, tx, { names: [limit.name], slots: 1, occupancySeconds: null });
  return true;
}

/** Deletes up to `limit` matching runs; returns their ids. */
export async function bulkDeleteFlowRuns(context: Context, filters: RelatedFilters, limit: number): Promise<string[]> {
  const runs = await listFlowRuns(context.db, filters, { sort: 'ID_DESC', limit, offset: 0 });
  const deleted: string[] = [];
  for (let first = 0; first < runs.length; first += DELETED_TOGETHER) {
    const ids = runs.slice(first, first + DELETED_TOGETHER).map(({ id }) => id);
    await emptyFlowRuns(context, ids);
    await context.transaction(async (tx) => {
      for (const id of ids) if (await deleteFlowRunIn(context, tx, id)) deleted.push(id);
    });
  }
  return deleted;
}
