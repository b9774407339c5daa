import { NotFound } from '../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { listQuery, pageLimit, pageOf } from '../filters/pagination.ts';
import { findFlow } from '../lookups/flows.ts';
import { bulkDeleteFlows, createFlow, deleteFlow, updateFlow } from './operations.ts';
import { countFlows, findFlowByName, listFlows } from './queries.ts';
import {
  Flow,
  FlowBulkDeleteResponse,
  FlowCreate,
  FlowPaginationResponse,
  FlowSort,
  FlowUpdate,
  flowBodies,
} from './schema.ts';

const tags = ['Flows'];

export const flowRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/flows/',
    operationId: 'create_flow_flows__post',
    summary: 'Create a flow',
    description:
      'Registers a flow under its name. 201 for a new one; 200 with the existing flow, unchanged, when the name is known.',
    tags,
    permission: 'flows:write',
    body: FlowCreate,
    responses: { 200: Flow },
    async handler({ context, body }) {
      const { flow, isNew } = await createFlow(context, body);
      return isNew ? created(flow) : ok(flow);
    },
  }),
  route({
    method: 'GET',
    path: '/flows/',
    operationId: 'list_flows_flows__get',
    summary: 'List flows',
    description:
      'One page of flows. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    tags,
    permission: 'flows:read',
    query: listQuery(FlowSort, 'NAME_ASC'),
    responses: { 200: Type.Array(Flow) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      return ok(await listFlows(context.answerDb, {}, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'PATCH',
    path: '/flows/{id}',
    operationId: 'update_flow_flows__id__patch',
    summary: 'Update a flow',
    description:
      'Replaces the tags of a flow and merges its labels; fields that are left out stay. 404 when there is no such flow.',
    tags,
    permission: 'flows:write',
    parameters: { id: 'uuid' },
    body: FlowUpdate,
    responses: { 204: null },
    async handler({ context, path, body }) {
      await updateFlow(context, path.id, body);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/flows/{id}',
    operationId: 'read_flow_flows__id__get',
    summary: 'Read a flow',
    description: 'One flow by id. 404 when there is none.',
    tags,
    permission: 'flows:read',
    parameters: { id: 'uuid' },
    responses: { 200: Flow },
    async handler({ context, path }) {
      return ok((await findFlow(context.db, path.id)) ?? missing());
    },
  }),
  route({
    method: 'DELETE',
    path: '/flows/{id}',
    operationId: 'delete_flow_flows__id__delete',
    summary: 'Delete a flow',
    description: 'Deletes the flow with its runs and deployments. 404 when there is none.',
    tags,
    permission: 'flows:write',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    async handler({ context, path }) {
      await deleteFlow(context, path.id);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/flows/count',
    operationId: 'count_flows_flows_count_post',
    summary: 'Count flows',
    description:
      'The number of flows that match all the filters. Filters of other resources match flows that are related to a matching one.',
    tags,
    permission: 'flows:read',
    body: flowBodies.count,
    responses: { 200: Type.Integer() },
    async handler({ context, body }) {
      return ok(await countFlows(context.db, body));
    },
  }),
  route({
    method: 'GET',
    path: '/flows/name/{name}',
    operationId: 'read_flow_by_name_flows_name__name__get',
    summary: 'Read a flow by name',
    description: 'One flow by its exact name. 404 when there is none.',
    tags,
    permission: 'flows:read',
    parameters: { name: 'text' },
    responses: { 200: Flow },
    async handler({ context, path }) {
      return ok((await findFlowByName(context.db, path.name)) ?? missing());
    },
  }),
  route({
    method: 'POST',
    path: '/flows/filter',
    operationId: 'read_flows_flows_filter_post',
    summary: 'List flows that match filters',
    description:
      'One page of the flows that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    tags,
    permission: 'flows:read',
    body: flowBodies.filter,
    responses: { 200: Type.Array(Flow) },
    async handler({ context, body }) {
      const { sort, offset, limit, ...filters } = body;
      return ok(await listFlows(context.answerDb, filters, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/flows/bulk_delete',
    operationId: 'bulk_delete_flows_flows_bulk_delete_post',
    summary: 'Delete flows that match a filter',
    description:
      'Deletes up to `limit` flows that match, with their runs and deployments, and answers their ids. Repeat it until the answer is empty.',
    tags,
    permission: 'flows:write',
    body: flowBodies.bulk_delete,
    responses: { 200: FlowBulkDeleteResponse },
    async handler({ context, body }) {
      return ok({ deleted: await bulkDeleteFlows(context, { flows: body.flows ?? null }, body.limit) });
    },
  }),
  route({
    method: 'POST',
    path: '/flows/paginate',
    operationId: 'paginate_flows_flows_paginate_post',
    summary: 'Page through flows',
    description:
      'Page `page` (from 1) of the flows that match, with `limit` on each, and how many flows and pages there are in all.',
    tags,
    permission: 'flows:read',
    body: flowBodies.paginate,
    responses: { 200: FlowPaginationResponse },
    async handler({ context, body }) {
      const { sort, page, limit: asked, ...filters } = body;
      const limit = pageLimit(context, asked);
      const [flows, count] = await Promise.all([
        listFlows(context.answerDb, filters, { sort, limit, offset: (page - 1) * limit }),
        countFlows(context.db, filters),
      ]);
      return ok(pageOf(flows, count, limit, page));
    },
  }),
];

function missing(): never {
  throw new NotFound('Flow not found');
}
