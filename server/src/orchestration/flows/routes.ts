import { NotFound } from '../../errors.ts';
import { created, noContent, ok, type Route, route } from '../../http/route.ts';
import { Type } from '../../schema/kinds.ts';
import { listQuery } from '../list-query.ts';
import { pageLimit, pageOf } from '../pagination.ts';
import { bulkDeleteFlows, createFlow, deleteFlow, updateFlow } from './operations.ts';
import { countFlows, findFlow, findFlowByName, listFlows } from './queries.ts';
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
    tags,
    permission: 'flows:read',
    query: listQuery(FlowSort, 'NAME_ASC'),
    responses: { 200: Type.Array(Flow) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      return ok(await listFlows(context.db, {}, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'PATCH',
    path: '/flows/{id}',
    operationId: 'update_flow_flows__id__patch',
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
    tags,
    permission: 'flows:read',
    body: flowBodies.filter,
    responses: { 200: Type.Array(Flow) },
    async handler({ context, body }) {
      const { sort, offset, limit, ...filters } = body;
      return ok(await listFlows(context.db, filters, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/flows/bulk_delete',
    operationId: 'bulk_delete_flows_flows_bulk_delete_post',
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
    tags,
    permission: 'flows:read',
    body: flowBodies.paginate,
    responses: { 200: FlowPaginationResponse },
    async handler({ context, body }) {
      const { sort, page, limit: asked, ...filters } = body;
      const limit = pageLimit(context, asked);
      const [flows, count] = await Promise.all([
        listFlows(context.db, filters, { sort, limit, offset: (page - 1) * limit }),
        countFlows(context.db, filters),
      ]);
      return ok(pageOf(flows, count, limit, page));
    },
  }),
];

function missing(): never {
  throw new NotFound('Flow not found');
}
