import { ok, type Route, route } from '../../../http/route.ts';
import { Type } from '../../../schema/kinds.ts';
import { readFlowRunDependencies, readFlowRunGraph } from './graph.ts';
import { DependencyResult, Graph, graphQuery } from './graph-schema.ts';

const tags = ['Flow Runs', 'Flow Run Graph'];

export const flowRunGraphRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/flow_runs/{id}/graph',
    operationId: 'read_flow_run_graph_v1_flow_runs__id__graph_get',
    summary: 'Read what depends on what in a run',
    description:
      'The task runs of a flow run, each with the runs whose results it takes. 404 when there is no such run.',
    tags,
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: Type.Array(DependencyResult) },
    async handler({ context, path }) {
      return ok(await readFlowRunDependencies(context, path.id));
    },
  }),
  route({
    method: 'GET',
    path: '/flow_runs/{id}/graph-v2',
    operationId: 'read_flow_run_graph_v2_flow_runs__id__graph_v2_get',
    summary: 'Read the graph of a flow run',
    description:
      'Nodes, edges, artifacts and states of a run for drawing, of what changed since `since`. 404 when there is no such run, 400 when it has too many nodes.',
    tags,
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    query: graphQuery,
    responses: { 200: Graph },
    async handler({ context, path, query }) {
      return ok(await readFlowRunGraph(context, path.id, query.since));
    },
  }),
];
