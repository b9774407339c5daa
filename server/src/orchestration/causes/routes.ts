import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { missingCause, updateCause } from './operations.ts';
import { findCause, readCausePage } from './queries.ts';
import { FailureCause, FailureCauses, FailureCausesBody, FailureCauseUpdate } from './schema.ts';

const { get, search, patch } = routesOf('Failure causes', 'flow_runs');

/** These routes are additions to the reference. */
export const causeRoutes: readonly Route[] = [
  search('/views/failure_causes', 'read_failure_causes_views_failure_causes_post', {
    summary: 'Read a page of causes of failures',
    description:
      'The causes by which the service `failure-causes` sorts the failures of flow runs, those that came last first. They stay when their runs are deleted. `after` is the `next` of the previous page.',
    body: FailureCausesBody,
    answers: FailureCauses,
    handler: ({ context, body }) => readCausePage(context, body),
  }),
  get('/failure_causes/{id}', 'read_failure_cause_failure_causes__id__get', {
    summary: 'Read a cause of failures',
    description: 'One cause. The condition `cause` of a list of runs accepts its id. 404 when there is none.',
    answers: FailureCause,
    handler: async ({ context, path }) => (await findCause(context, path.id)) ?? missingCause(),
  }),
  patch('/failure_causes/{id}', 'update_failure_cause_failure_causes__id__patch', {
    summary: 'Mute, resolve or take over a cause of failures',
    description: 'Parts that are left out stay. A muted cause records no events. 404 when there is none.',
    body: FailureCauseUpdate,
    answers: FailureCause,
    handler: ({ context, path, body }) => updateCause(context, path.id, body),
  }),
];
