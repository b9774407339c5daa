import { NotFound } from '../../errors.ts';
import { type Answer, noContent, ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { listQuery } from '../list-query.ts';
import { pageLimit, pageOf } from '../pagination.ts';
import type { Orchestrated } from '../states/orchestration-result.ts';
import { OrchestrationResult } from '../states/schema.ts';
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
import { findFlowRun } from './queries.ts';
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
    tags,
    permission: 'flow_runs:write',
    provenance: true,
    body: FlowRunCreate,
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
    tags,
    permission: 'flow_runs:read',
    query: listQuery(FlowRunSort, 'ID_DESC'),
    responses: { 200: Type.Array(FlowRunResponse) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      const runs = await listFlowRuns(context.db, {}, { sort, offset, limit: pageLimit(context, limit) });
      return ok(runs.map((run) => flowRunResponse(run, context.now)));
    },
  }),
  route({
    method: 'PATCH',
    path: '/flow_runs/{id}',
    operationId: 'update_flow_run_flow_runs__id__patch',
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: FlowRunUpdate,
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
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.filter,
    responses: { 200: Type.Array(FlowRunResponse) },
    async handler({ context, body }) {
      const { sort, offset, limit, ...filters } = body;
      const runs = await listFlowRuns(context.db, filters, { sort, offset, limit: pageLimit(context, limit) });
      return ok(runs.map((run) => flowRunResponse(run, context.now)));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/paginate',
    operationId: 'paginate_flow_runs_flow_runs_paginate_post',
    tags,
    permission: 'flow_runs:read',
    body: flowRunBodies.paginate,
    responses: { 200: FlowRunPaginationResponse },
    async handler({ context, body }) {
      const { sort, page, limit: asked, ...filters } = body;
      const limit = pageLimit(context, asked);
      const [runs, count] = await Promise.all([
        listFlowRuns(context.db, filters, { sort, limit, offset: (page - 1) * limit }),
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
    tags,
    permission: 'flow_runs:write',
    parameters: { id: 'uuid' },
    body: flowRunBodies.set_state,
    responses: { 200: OrchestrationResult },
    async handler({ context, path, body }) {
      return orchestrated(await setFlowRunState(context, path.id, body.state, body.force));
    },
  }),
  route({
    method: 'POST',
    path: '/flow_runs/bulk_set_state',
    operationId: 'bulk_set_flow_run_state_flow_runs_bulk_set_state_post',
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

/** 201 when a state was written, 200 when the run is as it was. */
export function orchestrated(result: Orchestrated): Answer {
  return { status: result.wroteState ? 201 : 200, body: result.body };
}
