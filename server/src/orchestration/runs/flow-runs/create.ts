/** Creates flow runs, for clients and from deployments. */
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { NewRow, Row } from '../../../database/tables/tables.ts';
import { found, IntegrityConflict } from '../../../errors.ts';
import { newId, newTimeOrderedId } from '../../../values/id.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { requireDocuments } from '../../lookups/block-documents.ts';
import { flows } from '../../lookups/flows.ts';
import { findWorkQueueByNames } from '../../lookups/work-pools.ts';
import { checkParameterSize } from '../../parameters/parameter-size.ts';
import { beforeFirstState } from '../rows/derived-columns.ts';
import { defaultFlowRunPolicy, encodeFlowRunPolicy } from '../rows/flow-run-policy.ts';
import { type FlowRunWithState, flowRunByKey, MISSING } from '../rows/flow-runs.ts';
import { randomRunName } from '../rows/random-name.ts';
import { normalisePolicy } from '../rows/retry-policy.ts';
import type { Proposal } from '../rows/state.ts';
import { insertFlowRunWithState } from '../state-machine.ts';
import type { FlowRunCreate } from './schema.ts';

const emptyObject = '{}' as JsonText;

/** The fields of a new run. An absent field gets its default. */
type NewFlowRun = Partial<NewRow<'flow_run'>> & {
  readonly flow_id: string;
  readonly tags: JsonText;
  readonly labels: JsonText;
};

/**
 * Creates a run for a client, or returns the stored one when the flow already has one with this idempotency key.
 * Throws IntegrityConflict for a flow or parent that does not exist, NotFound for a pool or queue that does not.
 */
export async function createFlowRun(
  context: Context,
  input: FlowRunCreate,
): Promise<{ run: FlowRunWithState; isNew: boolean }> {
  checkParameterSize(input.parameters, context.server.config.maxParameterBytes);
  return context.sharedTransaction(keyOf(input.flow_id, input.idempotency_key), async (tx) => {
    if (input.parent_task_run_id) tx.alone();
    const work_queue_id = input.work_pool_name
      ? (await findWorkQueueByNames(tx, input.work_pool_name, input.work_queue_name ?? null)).id
      : null;
    const flow = await flows.first(tx, { id: input.flow_id });
    if (!flow) throw new IntegrityConflict();
    if (input.infrastructure_document_id) await requireDocuments(tx, [input.infrastructure_document_id]);
    const deployment = input.deployment_id ? await tx.first(flowOfDeployment, { id: input.deployment_id }) : undefined;
    const policy = { ...defaultFlowRunPolicy, ...(input.empirical_policy && normalisePolicy(input.empirical_policy)) };
    return insertFlowRun(
      context,
      tx,
      {
        flow_id: flow.id,
        name: input.name ?? '',
        flow_version: input.flow_version ?? null,
        parameters: input.parameters ?? emptyObject,
        context: input.context ?? emptyObject,
        parent_task_run_id: input.parent_task_run_id ?? null,
        empirical_policy: encodeFlowRunPolicy(policy),
        tags: jsonTextOf(input.tags ?? []),
        labels: deployment
          ? runLabels(deployment, input.labels, { 'prefect.deployment.id': input.deployment_id })
          : runLabels(flow, input.labels),
        idempotency_key: input.idempotency_key ?? null,
        work_queue_id,
        work_queue_name: input.work_queue_name ?? null,
        // The Prefect server fills the empty object only when the request has no key.
        job_variables: input.job_variables ?? (input.idempotency_key ? null : emptyObject),
        deployment_id: input.deployment_id ?? null,
        infrastructure_document_id: input.infrastructure_document_id ?? null,
        created_by: creatorOf(context),
      },
      input.state ?? { type: 'PENDING' },
    );
  });
}

/** Names the idempotency key, which the transaction that creates a run locks; without a key, the name is unique. */
export function keyOf(owner: string, idempotencyKey: string | null | undefined): string {
  return idempotencyKey ? `${owner} ${idempotencyKey}` : newId();
}

/** The flow of a deployment, with the labels that the deployment passes on. The run may belong to another flow. */
const flowOfDeployment = statement<{ id: string }, Pick<Row<'flow'>, 'id' | 'labels'>>((query, given) =>
  query
    .selectFrom('deployment')
    .select(['flow_id as id', 'labels'])
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id),
);

/** Merges the flow's labels, the system's and the run's own; later ones win. */
export function runLabels(
  flow: Pick<Row<'flow'>, 'id' | 'labels'>,
  own: JsonText | null | undefined,
  between: Readonly<Record<string, unknown>> = {},
): JsonText {
  return jsonTextOf({
    ...(flow.labels ? parseObject(flow.labels) : {}),
    'prefect.flow.id': flow.id,
    ...between,
    ...(own ? parseObject(own) : {}),
  });
}

/**
 * The creator of a run: the automation on whose behalf the client acts, else the caller. `USER` and `BOT` are the names
 * of the Prefect server for people and programs. Null when the access mode does not identify the caller.
 */
export function creatorOf({ client: { automation }, actor }: Context): JsonText | null {
  if (automation) return jsonTextOf({ id: automation.id, type: 'AUTOMATION', display_value: automation.name });
  if (!actor) return null;
  return jsonTextOf({ id: actor.id, type: actor.type === 'user' ? 'USER' : 'BOT', display_value: actor.name });
}

/** Inserts a run and writes its first state. Returns the stored run when its idempotency key is taken. */
export async function insertFlowRun(
  context: Context,
  tx: Tx,
  given: NewFlowRun,
  firstState: Proposal,
): Promise<{ run: FlowRunWithState; isNew: boolean }> {
  const id = newTimeOrderedId();
  const row: NewRow<'flow_run'> = {
    created: context.now,
    updated: context.now,
    deployment_id: null,
    deployment_version: null,
    work_queue_id: null,
    work_queue_name: null,
    flow_version: null,
    parameters: emptyObject,
    idempotency_key: null,
    context: emptyObject,
    empirical_policy: encodeFlowRunPolicy(defaultFlowRunPolicy),
    parent_task_run_id: null,
    auto_scheduled: false,
    infrastructure_document_id: null,
    infrastructure_pid: null,
    created_by: null,
    job_variables: null,
    ...beforeFirstState,
    ...given,
    id,
    name: given.name || randomRunName(),
  };
  const inserted = await insertFlowRunWithState(context, tx, row, firstState);
  if (inserted) return { run: inserted, isNew: true };
  const { flow_id, idempotency_key } = row;
  const stored = await tx.first(flowRunByKey, { flow_id, idempotency_key: idempotency_key ?? '' });
  return { run: found(stored, MISSING), isNew: false };
}
