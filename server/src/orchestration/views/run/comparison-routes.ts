import { found } from '../../../errors.ts';
import type { Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { MISSING } from '../../runs/rows/flow-runs.ts';
import { compareFlowRuns, readLogExcerpt } from './comparison.ts';
import { LogExcerpt, RunComparison } from './comparison-schema.ts';

const { get } = routesOf('Views', 'flow_runs');

/** These routes are additions to the reference. */
export const comparisonRoutes: readonly Route[] = [
  get(
    '/views/flow_runs/{id}/comparison/{other_id}',
    'compare_flow_runs_views_flow_runs__id__comparison__other_id__get',
    {
      summary: 'Compare two flow runs',
      description:
        'Two runs with their states, the parameters and job variables that differ, and the run time of each of their tasks, matched by key. 404 when one of them does not exist.',
      answers: RunComparison,
      handler: async ({ context, path }) =>
        found(await compareFlowRuns(context, { a: path.id, b: path.other_id }), MISSING),
    },
  ),
  get('/views/flow_runs/{id}/log_excerpt', 'read_log_excerpt_views_flow_runs__id__log_excerpt_get', {
    summary: 'Read the log of a flow run to compare it',
    description:
      'The log of a run and of its task runs, oldest first. A long log is here with its beginning and its end. 404 when there is no such run.',
    permission: 'logs:read',
    answers: LogExcerpt,
    handler: async ({ context, path }) => found(await readLogExcerpt(context, path.id), MISSING),
  }),
];
