import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Type } from '../../../schema/kinds.ts';
import { readFlowRunDependencies, readFlowRunGraph } from './graph.ts';
import { DependencyResult, Graph, graphQuery } from './graph-schema.ts';

const { get } = routesOf(['Flow Runs', 'Flow Run Graph'], 'flow_runs');

export const flowRunGraphRoutes: readonly Route[] = [
  get('/flow_runs/{id}/graph', 'read_flow_run_graph_v1_flow_runs__id__graph_get', {
    summary: 'Read the dependencies of the task runs of a run',
    description:
      'The task runs of a flow run, each with the runs whose results it uses. 404 when there is no such run.',
    answers: Type.Array(DependencyResult),
    handler: ({ context, path }) => readFlowRunDependencies(context, path.id),
  }),
  get('/flow_runs/{id}/graph-v2', 'read_flow_run_graph_v2_flow_runs__id__graph_v2_get', {
    summary: 'Read the graph of a flow run',
    description:
      'Nodes, edges, artifacts and states of a run, for drawing. Nodes that ended before `since` are omitted. 404 when there is no such run, 400 when it has too many nodes.',
    query: graphQuery,
    answers: Graph,
    handler: ({ context, path, query }) => readFlowRunGraph(context, path.id, query.since),
  }),
];
