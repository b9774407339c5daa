/** Runs that clients make from a deployment. */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { ApiError, BadRequest, found, notFound } from '../../errors.ts';
import { type JsonText, jsonTextOf, parseJson } from '../../values/json.ts';
import { requireDocuments } from '../lookups/block-documents.ts';
import { requireFit, runJobVariableFault } from '../parameters/job-variables.ts';
import { checkParameterSize } from '../parameters/parameter-size.ts';
import { creatorOf, insertFlowRun, keyOf, runLabels } from '../runs/flow-runs/create.ts';
import { defaultFlowRunPolicy, encodeFlowRunPolicy } from '../runs/rows/flow-run-policy.ts';
import type { FlowRunWithState } from '../runs/rows/flow-runs.ts';
import { normalisePolicy } from '../runs/rows/retry-policy.ts';
import { queueOnDemand } from '../work/pools/on-demand.ts';
import { MISSING } from './operations.ts';
import { bulkRunWording, type ParameterWording, runParameters, singleRunWording } from './parameter-checks.ts';
import { type Deployment, findDeployment, hasDeployment } from './queries.ts';
import type { DeploymentFlowRunCreate, FlowRunCreateResult } from './schema.ts';

const MAX_BULK = 100;
const emptyObject = '{}' as JsonText;

/**
 * The words of refusals: one set for a single run, one for many. Source: the answers of the Prefect server 3.9.1 to
 * `POST /deployments/{id}/create_flow_run` and to its `/bulk`.
 */
interface Wording {
  readonly parameters: ParameterWording;
  noPool(queue: string, deploymentId: string): string;
}

const single: Wording = {
  parameters: singleRunWording,
  noPool: (queue, deploymentId) =>
    `Cannot create flow run in work queue ${queue} because deployment ${deploymentId} is not associated with a work pool. Please remove work_pool_name and try again.`,
};

const bulk: Wording = {
  parameters: bulkRunWording,
  noPool: (queue) =>
    `Cannot create flow run in work queue ${queue} because deployment is not associated with a work pool.`,
};

/**
 * Creates a run, or returns the stored one when the flow already has one with this idempotency key. Throws NotFound,
 * BadRequest for parameters that cannot be filled in or a queue without a pool, Conflict for parameters that do not
 * fit, Unprocessable for job variables, IntegrityConflict for a parent or block that does not exist.
 * Source: `POST /deployments/{id}/create_flow_run` of the Prefect server 3.9.1.
 */
export function createRun(
  context: Context,
  deploymentId: string,
  input: DeploymentFlowRunCreate,
): Promise<{ run: FlowRunWithState; isNew: boolean }> {
  checkParameterSize(input.parameters, context.server.config.maxParameterBytes);
  return context.sharedTransaction(keyOf(deploymentId, input.idempotency_key), (tx) =>
    createRunIn(context, tx, deploymentId, input),
  );
}

/** Like `createRun`, within a transaction and without a check of the parameters' size. */
export function createRunIn(
  context: Context,
  tx: Tx,
  deploymentId: string,
  input: DeploymentFlowRunCreate,
): Promise<{ run: FlowRunWithState; isNew: boolean }> {
  return insertRun(context, tx, deploymentId, input, single);
}

/** Creates up to 100 runs, each on its own: a refused run gets its error as its result. Throws NotFound, BadRequest. */
export async function createRuns(
  context: Context,
  deploymentId: string,
  inputs: readonly DeploymentFlowRunCreate[],
): Promise<FlowRunCreateResult[]> {
  for (const [index, { parameters }] of inputs.entries()) {
    checkParameterSize(parameters, context.server.config.maxParameterBytes, ['body', index, 'parameters']);
  }
  if (inputs.length > MAX_BULK) throw new BadRequest(`Cannot create more than ${MAX_BULK} flow runs at once.`);
  if (!(await hasDeployment(context.db, deploymentId))) notFound(MISSING);
  return Promise.all(
    inputs.map(async (input): Promise<FlowRunCreateResult> => {
      try {
        const { run } = await context.sharedTransaction(keyOf(deploymentId, input.idempotency_key), (tx) =>
          insertRun(context, tx, deploymentId, input, bulk),
        );
        return { flow_run_id: run.id, status: 'CREATED', error: null };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { flow_run_id: null, status: 'FAILED', error: error.message };
      }
    }),
  );
}

async function insertRun(
  context: Context,
  tx: Tx,
  deploymentId: string,
  input: DeploymentFlowRunCreate,
  wording: Wording,
): Promise<{ run: FlowRunWithState; isNew: boolean }> {
  if (input.parent_task_run_id || input.work_queue_name) tx.alone();
  const deployment = found(await findDeployment(tx, deploymentId), MISSING);
  const parameters = await runParameters(tx, deployment, input, wording.parameters);
  requireFit(runJobVariableFault(deployment, input.job_variables), 'Error creating flow run: ');
  const queue = await queueOf(context, tx, deployment, input.work_queue_name, wording);
  if (input.infrastructure_document_id) await requireDocuments(tx, [input.infrastructure_document_id]);
  const policy = { ...defaultFlowRunPolicy, ...(input.empirical_policy && normalisePolicy(input.empirical_policy)) };
  const flow = { id: deployment.flow_id, labels: deployment.labels };
  return insertFlowRun(
    context,
    tx,
    {
      ...queue,
      flow_id: deployment.flow_id,
      deployment_id: deployment.id,
      deployment_version: deployment.version,
      name: input.name ?? '',
      parameters,
      context: input.context ?? emptyObject,
      parent_task_run_id: input.parent_task_run_id ?? null,
      infrastructure_document_id: input.infrastructure_document_id ?? deployment.infrastructure_document_id,
      empirical_policy: encodeFlowRunPolicy(policy),
      tags: jsonTextOf([...new Set([...(parseJson(deployment.tags) as string[]), ...(input.tags ?? [])])]),
      labels: runLabels(flow, input.labels, { 'prefect.deployment.id': deployment.id }),
      idempotency_key: input.idempotency_key ?? null,
      // As on the reference, a given null stays null when an idempotency key is given too.
      job_variables:
        input.job_variables ?? (input.job_variables === null && input.idempotency_key ? null : emptyObject),
      created_by: creatorOf(context),
    },
    input.state ?? { type: 'SCHEDULED' },
  );
}

/** The requested queue, in the deployment's pool; without one, the deployment's own. */
async function queueOf(
  context: Context,
  tx: Tx,
  deployment: Deployment,
  asked: string | null | undefined,
  wording: Wording,
) {
  if (!asked) return { work_queue_id: deployment.queue_id, work_queue_name: deployment.work_queue_name };
  if (!deployment.work_pool_name) throw new BadRequest(wording.noPool(asked, deployment.id));
  const { id } = await queueOnDemand(context, tx, deployment.work_pool_name, asked);
  return { work_queue_id: id, work_queue_name: asked };
}
