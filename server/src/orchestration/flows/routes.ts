import { found } from '../../errors.ts';
import { created, ok, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { filtersAndPart, listQuery, paginated, partOf } from '../filters/pagination.ts';
import { flows } from '../lookups/flows.ts';
import { bulkDeleteFlows, createFlow, deleteFlow, MISSING, updateFlow } from './operations.ts';
import { countFlows, listFlows } from './queries.ts';
import {
  Flow,
  FlowBulkDeleteResponse,
  FlowCreate,
  FlowPaginationResponse,
  FlowSort,
  FlowUpdate,
  flowBodies,
} from './schema.ts';

const { get, search, post, patch, remove } = routesOf('Flows', 'flows');

export const flowRoutes: readonly Route[] = [
  post('/flows/', 'create_flow_flows__post', {
    summary: 'Create a flow',
    description:
      'Registers a flow under its name. 201 for a new one; 200 with the existing flow, unchanged, when the name is known.',
    body: FlowCreate,
    responses: { 200: Flow },
    async handler({ context, body }) {
      const { flow, isNew } = await createFlow(context, body);
      return isNew ? created(flow) : ok(flow);
    },
  }),
  get('/flows/', 'list_flows_flows__get', {
    summary: 'List flows',
    description:
      'One page of flows. `limit` is at most the largest page of this server, which is also its default; `offset` counts from 0.',
    query: listQuery(FlowSort, 'NAME_ASC'),
    answers: Type.Array(Flow),
    handler: ({ context, query }) => listFlows(context.answerDb, {}, partOf(context, query)),
  }),
  patch('/flows/{id}', 'update_flow_flows__id__patch', {
    summary: 'Update a flow',
    description:
      'Replaces the tags of a flow. Without `tags`, only the time of the change is updated. 404 when there is no such flow.',
    body: FlowUpdate,
    handler: ({ context, path, body }) => updateFlow(context, path.id, body),
  }),
  get('/flows/{id}', 'read_flow_flows__id__get', {
    summary: 'Read a flow',
    description: 'One flow by id. 404 when there is none.',
    answers: Flow,
    handler: async ({ context, path }) => found(await flows.first(context.db, path), MISSING),
  }),
  remove('/flows/{id}', 'delete_flow_flows__id__delete', {
    summary: 'Delete a flow',
    description: 'Deletes the flow with its runs and deployments. 404 when there is none.',
    handler: ({ context, path }) => deleteFlow(context, path.id),
  }),
  search('/flows/count', 'count_flows_flows_count_post', {
    summary: 'Count flows',
    description:
      'The number of flows that match all the filters. Filters on other resources select the flows related to a matching resource.',
    body: flowBodies.count,
    answers: Type.Integer(),
    handler: ({ context, body }) => countFlows(context.db, body),
  }),
  get('/flows/name/{name}', 'read_flow_by_name_flows_name__name__get', {
    summary: 'Read a flow by name',
    description: 'One flow by its exact name. 404 when there is none.',
    answers: Flow,
    handler: async ({ context, path }) => found(await flows.first(context.db, path), MISSING),
  }),
  search('/flows/filter', 'read_flows_flows_filter_post', {
    summary: 'List flows that match filters',
    description:
      'One page of the flows that match all the filters, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    body: flowBodies.filter,
    answers: Type.Array(Flow),
    handler: ({ context, body }) => listFlows(context.answerDb, ...filtersAndPart(context, body)),
  }),
  post('/flows/bulk_delete', 'bulk_delete_flows_flows_bulk_delete_post', {
    summary: 'Delete flows that match a filter',
    description:
      'Deletes up to `limit` matching flows with their runs and deployments, and returns their ids. Repeat it until the answer is empty.',
    body: flowBodies.bulk_delete,
    answers: FlowBulkDeleteResponse,
    handler: async ({ context, body }) => ({
      deleted: await bulkDeleteFlows(context, { flows: body.flows ?? null }, body.limit),
    }),
  }),
  search('/flows/paginate', 'paginate_flows_flows_paginate_post', {
    summary: 'Page through flows',
    description:
      'Page `page` (from 1) of the matching flows, with `limit` per page, and the number of flows and pages.',
    body: flowBodies.paginate,
    answers: FlowPaginationResponse,
    handler: ({ context, body }) =>
      paginated(context, body, ({ answerDb }, ...asked) => listFlows(answerDb, ...asked), countFlows),
  }),
];
