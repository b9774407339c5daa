import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Nullable, Type, withDefault } from '../../schema/kinds.ts';
import { listObservedStates } from './queries.ts';
import { ObservedState, ObservedStateSort } from './schema.ts';

const MOST_STATES = 200;

const { get } = routesOf('Observed States', 'flow_runs');

export const observedStateRoutes: readonly Route[] = [
  get('/observed-states', 'read_observed_states_observed_states_get', {
    summary: 'List the states that runs have had',
    description:
      'Each type and name of state of flow runs and task runs, with the times of the first and the last one. `query` matches the beginning of the name or the type; at most 200 are listed.',
    query: Type.Object({
      query: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
      order_by: withDefault(ObservedStateSort, 'LAST_SEEN_DESC'),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: MOST_STATES }), MOST_STATES),
    }),
    answers: Type.Array(ObservedState),
    handler: ({ context, query: { query, order_by, limit } }) =>
      listObservedStates(context.db, { query: query ?? undefined, sort: order_by, limit }),
  }),
];
