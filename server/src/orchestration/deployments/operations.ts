import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import type { NewRow } from '../../database/tables/tables.ts';
import { Conflict, found, IntegrityConflict, notFound } from '../../errors.ts';
import { compileEncoder } from '../../schema/encode.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, jsonTextOf } from '../../values/json.ts';
import { pythonRepr } from '../../values/python-text.ts';
import type { RelatedFilters } from '../filters/related-conditions.ts';
import { deleteOwnLimit, setOwnLimit } from '../limits/global-limits/deployment-limit.ts';
import { limits } from '../limits/global-limits/queries.ts';
import { hasBlockDocument, requireDocuments } from '../lookups/block-documents.ts';
import { deployments } from '../lookups/deployments.ts';
import { type FlowRow, flows } from '../lookups/flows.ts';
import { poolNamed } from '../lookups/work-pools.ts';
import { jobVariableFault, plainJobVariableFault, requireFit } from '../parameters/job-variables.ts';
import { checkParameterSize } from '../parameters/parameter-size.ts';
import { runLabels } from '../runs/flow-runs/create.ts';
import { legacyQueueOnDemand, queueOnDemand } from '../work/pools/on-demand.ts';
import { recordDeploymentEvent, recordDeploymentUpdate } from './events.ts';
import { checkUpdatedParameters } from './parameter-checks.ts';
import {
  type Deployment,
  type DeploymentChange,
  findDeployment,
  findDeploymentForChange,
  listDeployments,
  updateDeploymentColumns,
} from './queries.ts';
import { askForRunsAhead, deleteAutoScheduledRuns, deleteScheduledRuns, remakeRunsAhead } from './runs-ahead.ts';
import { mergeSchedules, replaceSchedules } from './schedules.ts';
import { ConcurrencyOptions, type DeploymentCreate, type DeploymentUpdate } from './schema.ts';

export const MISSING = 'Deployment not found';

const encodeConcurrencyOptions = compileEncoder(ConcurrencyOptions) as (options: ConcurrencyOptions) => JsonText;

const emptyObject = '{}' as JsonText;
const emptyList = '[]' as JsonText;

/** The columns that a request to create a deployment does not give. */
const defaults = {
  created_by: null,
  updated_by: null,
  version: null,
  description: null,
  paused: false,
  concurrency_limit_id: null,
  concurrency_options: null,
  job_variables: emptyObject,
  parameters: emptyObject,
  pull_steps: emptyList,
  tags: emptyList,
  last_polled: null,
  parameter_openapi_schema: emptyObject,
  path: null,
  entrypoint: null,
  storage_document_id: null,
  infrastructure_document_id: null,
  work_queue_id: null,
  work_queue_name: null,
  status: 'NOT_READY',
  enforce_parameter_schema: true,
  schedule_due: null,
} as const satisfies Partial<NewRow<'deployment'>>;

/**
 * Creates a deployment, or changes the flow's deployment of this name. A change replaces only the given fields, but
 * always parameters, labels and schedules: absent ones become empty. Throws NotFound for a limit or pool, Conflict for
 * a block, Unprocessable for job variables, IntegrityConflict for a flow. Source: `POST /deployments/` of the Prefect
 * server 3.9.1.
 */
export function createDeployment(
  context: Context,
  input: DeploymentCreate,
): Promise<{ deployment: Deployment; isNew: boolean }> {
  checkParameterSize(input.parameters, context.server.config.maxParameterBytes);
  return context.transaction(async (tx) => {
    await checkReferences(tx, input);
    const flow = await flows.first(tx, { id: input.flow_id });
    if (!flow) throw new IntegrityConflict();
    const { id, before } = await insertOrFind(context, tx, flow, input);
    const change = {
      ...plainColumns(input),
      ...(await queueColumns(context, tx, input)),
      ...(await limitColumns(context, tx, id, input)),
      parameters: input.parameters ?? emptyObject,
      labels: runLabels(flow, input.labels),
      updated: context.now,
    };
    await updateDeploymentColumns(tx, id, change);
    await replaceSchedules(context, tx, id, input.schedules ?? []);
    await (before ? remakeRunsAhead : askForRunsAhead)(context, tx, id);
    const deployment = await findDeployment(tx, id);
    if (!deployment) throw new Error('A deployment vanished while it was created.');
    if (before)
      await recordDeploymentUpdate(
        context,
        tx,
        before,
        before.concurrency_limit_id === null ? deployment : asTold(before, deployment, input),
      );
    else await recordDeploymentEvent(context, tx, deployment, 'created');
    return { deployment, isNew: !before };
  });
}

/** `before` is the deployment before the change; undefined when it is new. */
async function insertOrFind(
  context: Context,
  tx: Tx,
  flow: FlowRow,
  { name }: DeploymentCreate,
): Promise<{ id: string; before: Deployment | undefined }> {
  const id = newId();
  const { now } = context;
  const labels = runLabels(flow, null);
  const row = { ...defaults, id, created: now, updated: now, name, flow_id: flow.id, labels };
  if (await deployments.insertUnlessThere(tx, row)) return { id, before: undefined };
  const known = await deployments.first(tx, { flow_id: flow.id, name });
  const before = known && (await findDeploymentForChange(tx, known.id));
  if (!before) throw new Error('A deployment with this name vanished while it was created.');
  return { id: before.id, before };
}

/** Checks that the objects to which a deployment refers exist, and that its job variables fit its pool. */
async function checkReferences(tx: Tx, input: DeploymentCreate): Promise<void> {
  if (input.work_pool_name) {
    const pool = await poolNamed(tx, input.work_pool_name);
    const variables = input.job_variables;
    if (variables && variables !== '{}') {
      const refusal = jobVariableFault(pool.base_job_template, variables, { required: false });
      requireFit(refusal, 'Error creating deployment: ');
    }
  }
  await checkLimit(tx, input.global_concurrency_limit_id);
  await checkBlock(tx, 'infrastructure', input.infrastructure_document_id);
  await checkBlock(tx, 'storage', input.storage_document_id);
}

async function checkBlock(tx: Tx, kind: string, id: string | null | undefined): Promise<void> {
  if (id && !(await hasBlockDocument(tx, id))) throw missingBlock(kind, id);
}

function missingBlock(kind: string, id: string): Conflict {
  return new Conflict(
    `Error creating deployment. Could not find ${kind} block with id: ${id}. This usually occurs when applying a deployment specification that was built against a different Prefect database / workspace.`,
  );
}

async function checkLimit(tx: Tx, id: string | null | undefined): Promise<void> {
  if (id) found(await limits.first(tx, { id }), 'Concurrency limit not found');
}

/** The given fields that are stored unchanged in columns. */
function plainColumns(input: DeploymentCreate | DeploymentUpdate): DeploymentChange {
  const { tags, pull_steps, parameter_openapi_schema, concurrency_options } = input;
  return {
    version: input.version,
    description: input.description,
    storage_document_id: input.storage_document_id,
    infrastructure_document_id: input.infrastructure_document_id,
    path: input.path,
    entrypoint: input.entrypoint,
    paused: input.paused,
    enforce_parameter_schema: input.enforce_parameter_schema ?? undefined,
    tags: tags && jsonTextOf(tags),
    pull_steps: pull_steps && (`[${pull_steps.join()}]` as JsonText),
    parameter_openapi_schema: parameter_openapi_schema && withProperties(parameter_openapi_schema),
    concurrency_options: concurrency_options && encodeConcurrencyOptions(concurrency_options),
    job_variables: input.job_variables ?? undefined,
  };
}

/** An empty schema is stored as the schema of an object without fields. */
function withProperties(schema: JsonText): JsonText {
  return schema === emptyObject ? ('{"type":"object","properties":{}}' as JsonText) : schema;
}

/** The named queue, created if it does not exist. The deployment also keeps the name, in case the queue is deleted. */
async function queueColumns(
  context: Context,
  tx: Tx,
  { work_pool_name: pool, work_queue_name: queue }: DeploymentCreate | DeploymentUpdate,
): Promise<DeploymentChange> {
  if (pool) return { work_queue_name: queue, work_queue_id: (await queueOnDemand(context, tx, pool, queue)).id };
  if (queue) return { work_queue_name: queue, work_queue_id: (await legacyQueueOnDemand(context, tx, queue)).id };
  return { work_queue_name: queue };
}

/**
 * When a deployment gets its own limit, the event of the limit reports it, and the deployment's event does not. When a
 * deployment without a limit is created again with one, both events report it. Source: the events of the Prefect server
 * 3.9.1.
 */
function asTold(before: Deployment, after: Deployment, { concurrency_limit }: DeploymentUpdate): Deployment {
  return concurrency_limit ? { ...after, concurrency_limit_id: before.concurrency_limit_id } : after;
}

/** The deployment's own limit, or one that it shares. It never has both. */
async function limitColumns(
  context: Context,
  tx: Tx,
  id: string,
  { concurrency_limit, global_concurrency_limit_id }: DeploymentCreate | DeploymentUpdate,
): Promise<DeploymentChange> {
  if (concurrency_limit) return { concurrency_limit_id: await setOwnLimit(context, tx, id, concurrency_limit) };
  if (concurrency_limit === undefined && global_concurrency_limit_id === undefined) return {};
  // The shared limit in the request may be the deployment's own.
  await deleteOwnLimit(tx, id, global_concurrency_limit_id);
  return { concurrency_limit_id: global_concurrency_limit_id ?? null };
}

/**
 * Changes the given fields. Throws NotFound, Unprocessable for schedules, BadRequest and Conflict for parameters,
 * Conflict for job variables, IntegrityConflict for a field that must not be null. Source: `PATCH /deployments/{id}` of
 * the Prefect server 3.9.1.
 */
export function updateDeployment(context: Context, id: string, input: DeploymentUpdate): Promise<void> {
  checkParameterSize(input.parameters, context.server.config.maxParameterBytes);
  return context.transaction(async (tx) => {
    const before = found(await findDeploymentForChange(tx, id), 'Deployment not found.');
    if (input.schedules) await mergeSchedules(context, tx, id, input.schedules);
    await checkJobVariables(tx, input);
    const parameters = await checkUpdatedParameters(tx, before, input);
    await checkLimit(tx, input.global_concurrency_limit_id);
    if (input.parameters === null || input.enforce_parameter_schema === null) throw new IntegrityConflict();
    const documents = [input.storage_document_id, input.infrastructure_document_id];
    await requireDocuments(
      tx,
      documents.filter((document) => typeof document === 'string'),
    );
    await updateDeploymentColumns(tx, id, {
      ...plainColumns(input),
      parameters,
      ...(input.work_pool_name === null
        ? { work_queue_name: input.work_queue_name, work_queue_id: null }
        : await queueColumns(context, tx, input)),
      ...(await limitColumns(context, tx, id, input)),
      updated: context.now,
    });
    await remakeRunsAhead(context, tx, id);
    const after = await findDeployment(tx, id);
    if (after) await recordDeploymentUpdate(context, tx, before, asTold(before, after, input));
  });
}

async function checkJobVariables(tx: Tx, { work_pool_name, job_variables }: DeploymentUpdate): Promise<void> {
  if (!work_pool_name) return;
  const pool = await poolNamed(tx, work_pool_name);
  const fault = job_variables && plainJobVariableFault(pool.base_job_template, job_variables);
  if (fault) throw new Conflict(`Error creating deployment: <ValidationError: ${pythonRepr(fault)}>`);
}

/** Pauses or resumes the schedules. A pause deletes the runs that were made ahead. Throws NotFound. */
export function setPaused(context: Context, id: string, paused: boolean): Promise<void> {
  return context.transaction(async (tx) => {
    const deployment = found(await findDeploymentForChange(tx, id), MISSING);
    if (deployment.paused !== paused) await updateDeploymentColumns(tx, id, { paused, updated: context.now });
    await (paused ? deleteAutoScheduledRuns(tx, id) : askForRunsAhead(context, tx, id));
  });
}

/** Deletes the deployment with its schedules, its own limit and the runs that never started. Throws NotFound. */
export function deleteDeployment(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    if (!(await deleteWithRuns(context, tx, id))) notFound(MISSING);
  });
}

/** Deletes up to `limit` matching deployments; returns their ids. */
export async function bulkDeleteDeployments(
  context: Context,
  filters: RelatedFilters,
  limit: number,
): Promise<string[]> {
  const matching = await listDeployments(context.db, filters, { sort: 'NAME_ASC', limit, offset: 0 });
  return context.transaction(async (tx) => {
    const deleted: string[] = [];
    for (const { id } of matching) if (await deleteWithRuns(context, tx, id)) deleted.push(id);
    return deleted;
  });
}

async function deleteWithRuns(context: Context, tx: Tx, id: string): Promise<boolean> {
  const deployment = await findDeploymentForChange(tx, id);
  if (!deployment) return false;
  await deleteScheduledRuns(tx, id);
  await deleteOwnLimit(tx, id);
  await deployments.removeAll(tx, { id });
  await recordDeploymentEvent(context, tx, deployment, 'deleted');
  return true;
}
