import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { filtersAndPart, listQuery, paginated, partOf } from '../../filters/pagination.ts';
import { MISSING } from '../rows/flow-runs.ts';
import { OrchestrationResult } from '../rows/state-schema.ts';
import { orchestrated } from '../states/routes.ts';
import { createFlowRun } from './create.ts';
import { countFlowRuns } from './list-queries.ts';
import {
  bulkDeleteFlowRuns,
  bulkSetFlowRunState,
  deleteFlowRun,
  setFlowRunState,
  updateFlowRun,
  updateFlowRunLabels,
} from './operations.ts';
import { findFlowRunAnswer, flowRunResponse, listFlowRunAnswers } from './response.ts';
import {
  FlowRunBulkDeleteResponse,
  FlowRunBulkSetStateResponse,
  FlowRunCreate,
  FlowRunPaginationResponse,
  FlowRunResponse,
  FlowRunSort,
  FlowRunUpdate,
  flowRunBodies,
} from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Flow Runs', 'flow_runs');

export const flowRunRoutes: readonly Route[] = [
  post('/flow_runs/', 'create_flow_run_flow_runs__post', {
    summary: 'Create a flow run',
    description:
      'Creates a run of a flow in the given state, by default Pending. If a run of the flow already has the `idempotency_key`, the answer is that run with 200; a new run is 201. Parameters may have at most `SIGNALBOX_MAX_PARAMETER_BYTES` bytes of JSON.',
    provenance: true,
    body: FlowRunCreate,
    bodySize: 'large',
    responses: { 200: FlowRunResponse },
    async handler({ context, body }) {
      const { run, isNew } = await createFlowRun(context, body);
      return { status: isNew ? 201 : 200, body: flowRunResponse(run, context.server.clock.now()) };
    },
  }),
  get('/flow_runs/', 'list_flow_runs_flow_runs__get', {
    summary: 'List flow runs',
    description:
      'One page of flow runs. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    query: listQuery(FlowRunSort, 'ID_DESC'),
    answers: Type.Array(FlowRunResponse),
    handler: ({ context, query }) => listFlowRunAnswers(context, {}, partOf(context, query)),
  }),
  patch('/flow_runs/{id}', 'update_flow_run_flow_runs__id__patch', {
    summary: 'Update a flow run',
    description:
      'Changes the given fields, such as name, tags or job variables. Only `set_state` changes the state. 404 when there is no such run.',
    body: FlowRunUpdate,
    bodySize: 'large',
    handler: ({ context, path, body }) => updateFlowRun(context, path.id, body),
  }),
  get('/flow_runs/{id}', 'read_flow_run_flow_runs__id__get', {
    summary: 'Read a flow run',
    description:
      'One run with its state. Times are UTC; durations (`total_run_time`, `estimated_start_time_delta`) are in seconds. 404 when there is none.',
    answers: FlowRunResponse,
    handler: async ({ context, path }) => found(await findFlowRunAnswer(context, path.id), MISSING),
  }),
  remove('/flow_runs/{id}', 'delete_flow_run_flow_runs__id__delete', {
    summary: 'Delete a flow run',
    description:
      'Deletes the run with its states, task runs and logs, and releases its concurrency slots. 404 when there is none.',
    handler: ({ context, path }) => deleteFlowRun(context, path.id),
  }),
  search('/flow_runs/count', 'count_flow_runs_flow_runs_count_post', {
    summary: 'Count flow runs',
    description:
      'The number of runs that match all the filters. Filters on other resources select the runs related to a matching resource.',
    body: flowRunBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countFlowRuns(context.db, body),
  }),
  search('/flow_runs/filter', 'read_flow_runs_flow_runs_filter_post', {
    summary: 'List flow runs that match filters',
    description:
      'One page of the runs that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    body: flowRunBodies.filter,
    answers: Type.Array(FlowRunResponse),
    handler: ({ context, body }) => listFlowRunAnswers(context, ...filtersAndPart(context, body)),
  }),
  search('/flow_runs/paginate', 'paginate_flow_runs_flow_runs_paginate_post', {
    summary: 'Page through flow runs',
    description: 'Page `page` (from 1) of the matching runs, with `limit` per page, and the number of runs and pages.',
    body: flowRunBodies.paginate,
    answers: FlowRunPaginationResponse,
    handler: ({ context, body }) => paginated(context, body, listFlowRunAnswers, countFlowRuns),
  }),
  post('/flow_runs/{id}/set_state', 'set_flow_run_state_flow_runs__id__set_state_post', {
    summary: 'Propose a state for a flow run',
    description:
      'The orchestration rules decide: `status` is ACCEPT, REJECT (another state was set instead), WAIT (try again in `delay_seconds`) or ABORT, with the reason. 201 when a state was written, else 200. `force` skips the rules.',
    body: flowRunBodies.set_state,
    bodySize: 'large',
    responses: { 200: OrchestrationResult },
    async handler({ context, path, body }) {
      return orchestrated(await setFlowRunState(context, path.id, body.state, body.force));
    },
  }),
  post('/flow_runs/bulk_set_state', 'bulk_set_flow_run_state_flow_runs_bulk_set_state_post', {
    summary: 'Propose a state for many flow runs',
    description:
      'Proposes the state for up to `limit` matching runs. The rules decide on each run separately; the answer has the result of each.',
    body: flowRunBodies.bulk_set_state,
    answers: FlowRunBulkSetStateResponse,
    handler: ({ context, body }) => {
      const { flow_runs, limit, state, force } = body;
      return bulkSetFlowRunState(context, { flow_runs: flow_runs ?? null }, limit, state, force);
    },
  }),
  post('/flow_runs/bulk_delete', 'bulk_delete_flow_runs_flow_runs_bulk_delete_post', {
    summary: 'Delete flow runs that match a filter',
    description:
      'Deletes up to `limit` matching runs with their states, task runs and logs, and returns their ids. Repeat it until the answer is empty.',
    body: flowRunBodies.bulk_delete,
    answers: FlowRunBulkDeleteResponse,
    handler: async ({ context, body }) => ({
      deleted: await bulkDeleteFlowRuns(context, { flow_runs: body.flow_runs ?? null }, body.limit),
    }),
  }),
  patch('/flow_runs/{id}/labels', 'update_flow_run_labels_flow_runs__id__labels_patch', {
    summary: 'Merge labels into a flow run',
    description:
      'Adds the given labels to the run. A label with the same key is replaced. 404 when there is no such run.',
    body: flowRunBodies.labels,
    handler: ({ context, path, body }) => updateFlowRunLabels(context, path.id, body),
  }),
];
