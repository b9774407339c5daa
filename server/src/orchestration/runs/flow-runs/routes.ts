import { NotFound } from '../../../errors.ts';
import { noContent, ok, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { listQuery, pageLimit, pageOf } from '../../filters/pagination.ts';
import { findFlowRun } from '../rows/flow-runs.ts';
import { OrchestrationResult } from '../rows/state-schema.ts';
import { orchestrated } from '../states/routes.ts';
import { createFlowRun } from './create.ts';
import { countFlowRuns, listFlowRuns } from './list-queries.ts';
import {
  bulkDeleteFlowRuns,
  bulkSetFlowRunState,
  deleteFlowRun,
  setFlowRunState,
  updateFlowRun,
  updateFlowRunLabels,
} from './operations.ts';
import { flowRunResponse } from './response.ts';
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

const tags = ['Flow Runs'];

export const flowRunRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/flow_runs/',
    operationId: 'create_flow_run_flow_runs__post',
    summary: 'Create a flow run',
    description:
      'Makes a run of a flow in the given state, Pending where none is given. With an `idempotency_key` that a run of the flow has already, the answer is that run with 200; a new run is 201. Parameters may have at most `SIGNALBOX_MAX_PARAMETER_BYTES` bytes of JSON.',
    tags,
    permission: 'flow_runs:write',
    provenance: true,
    body: FlowRunCreate,
    bodySize: 'large',
    responses: { 200: FlowRunResponse },
    async handler({ context, body }) {
      const { run, isNew } = await createFlowRun(context, body);
      return { status: isNew ? 201 : 200, body: flowRunResponse(run, context.server.clock.now()) };
    },
  }),
  route({
    method: 'GET',
    path: '/flow_runs/',
    operationId: 'list_flow_runs_flow_runs__get',
    summary: 'List flow runs',
    description:
      'One page of flow runs. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    tags,
    permission: 'flow_runs:read',
    query: listQuery(FlowRunSort, 'ID_DESC'),
    responses: { 200: Type.Array(FlowRunResponse) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      const runs = await listFlowRuns(context.answerDb, {}, { sort, offset, limit: pageLimit(context, limit) });
      return ok(runs.map((run) => flowRunResponse(run, context.now)));
    },
  }),
  route({
    method: 'PATCH',
    path: '/flow_runs/{id}',
    operationId: 'update_flow_run_flow_runs__id__patch',
    summary: 'Update a flow run',
    description:
      'Changes the fields that are given, such as name, tags or job variables. The state changes by `set_state` only. 404 when there is no such run.',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: FlowRunUpdate,
    bodySize: 'large',
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateFlowRun(context, path.id, body);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/flow_runs/{id}',
    operationId: 'read_flow_run_flow_runs__id__get',
    summary: 'Read a flow run',
    description:
      'One run with its state. Times are UTC; durations (`total_run_time`, `estimated_start_time_delta`) are in seconds. 404 when there is none.',
    tags,
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: FlowRunResponse },
    async handler({ context, path }) {
      const run = await findFlowRun(context.db, path.id);
      if (!run) throw new NotFound('Flow run not found');
      return ok(flowRunResponse(run, context.now));
    },
  }),
  route({
    method: 'DELETE',
    path: '/flow_runs/{id}',
    operationId: 'delete_flow_run_flow_runs__id__delete',
    summary: 'Delete a flow run',
    description:
      'Deletes the run with its states, task runs and logs, and gives back the concurrency slots it holds. 404 when there is none.',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteFlowRun(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/count',
    operationId: 'count_flow_runs_flow_runs_count_post',
    summary: 'Count flow runs',
    description:
      'The number of runs that match all the filters. Filters of other resources match runs that are related to a matching one.',
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countFlowRuns(context.db, body));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/filter',
    operationId: 'read_flow_runs_flow_runs_filter_post',
    summary: 'List flow runs that match filters',
    description:
      'One page of the runs that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.filter,
    responses: { 200: Type.Array(FlowRunResponse) },
    async handler({ context, body }) {
      const { sort, offset, limit, ...filters } = body;
      const runs = await listFlowRuns(context.answerDb, filters, { sort, offset, limit: pageLimit(context, limit) });
      return ok(runs.map((run) => flowRunResponse(run, context.now)));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/paginate',
    operationId: 'paginate_flow_runs_flow_runs_paginate_post',
    summary: 'Page through flow runs',
    description:
      'Page `page` (from 1) of the runs that match, with `limit` on each, and how many runs and pages there are in all.',
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.paginate,
    responses: { 200: FlowRunPaginationResponse },
    async handler({ context, body }) {
      const { sort, page, limit: asked, ...filters } = body;
      const limit = pageLimit(context, asked);
      const [runs, count] = await Promise.all([
        listFlowRuns(context.answerDb, filters, { sort, limit, offset: (page - 1) * limit }),
        countFlowRuns(context.db, filters),
      ]);
      const results = runs.map((run) => flowRunResponse(run, context.now));
      return ok(pageOf(results, count, limit, page));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/{id}/set_state',
    operationId: 'set_flow_run_state_flow_runs__id__set_state_post',
    summary: 'Propose a state for a flow run',
    description:
      'The rules of orchestration judge the proposal: `status` is ACCEPT, REJECT (another state was set instead), WAIT (try again in `delay_seconds`) or ABORT, with the reason. 201 when a state was written, else 200. `force` passes over the rules.',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: flowRunBodies.set_state,
    bodySize: 'large',
    responses: { 200: OrchestrationResult },
    async handler({ context, path, body }) {
      return orchestrated(await setFlowRunState(context, path.id, body.state, body.force));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/bulk_set_state',
    operationId: 'bulk_set_flow_run_state_flow_runs_bulk_set_state_post',
    summary: 'Propose a state for many flow runs',
    description:
      'Proposes the state to up to `limit` runs that match, each judged on its own, and answers what became of each.',
    tags,
    permission: 'flow_runs:write',
    body: flowRunBodies.bulk_set_state,
    responses: { 200: FlowRunBulkSetStateResponse },
    async handler({ context, body }) {
      const { flow_runs, limit, state, force } = body;
      return ok(await bulkSetFlowRunState(context, { flow_runs: flow_runs ?? null }, limit, state, force));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/bulk_delete',
    operationId: 'bulk_delete_flow_runs_flow_runs_bulk_delete_post',
    summary: 'Delete flow runs that match a filter',
    description:
      'Deletes up to `limit` runs that match, with all that hangs on them, and answers their ids. Repeat it until the answer is empty.',
    tags,
    permission: 'flow_runs:write',
    body: flowRunBodies.bulk_delete,
    responses: { 200: FlowRunBulkDeleteResponse },
    async handler({ context, body }) {
      return ok({ deleted: await bulkDeleteFlowRuns(context, { flow_runs: body.flow_runs ?? null }, body.limit) });
    },
  }),
  route({
    method: 'PATCH',
    path: '/flow_runs/{id}/labels',
    operationId: 'update_flow_run_labels_flow_runs__id__labels_patch',
    summary: 'Merge labels into a flow run',
    description:
      'Adds the given labels to those of the run; a label with the same key is replaced. 404 when there is no such run.',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: flowRunBodies.labels,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateFlowRunLabels(context, path.id, body);
      return noContent;
    },
  }),
];
