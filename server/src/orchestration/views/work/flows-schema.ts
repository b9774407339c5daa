import {
  DateTime,
  described,
  Maybe,
  Nullable,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { Tags } from '../../filters/field-schema.ts';
import { NamePosition, nextPage } from './named-page.ts';
import { NextRun, RunBar } from './recent-runs.ts';

/** Runs counted at most: counting all runs of a flow would read each of them. */
export const MOST_COUNTED = 1001;

export const FlowsViewBody = Parts(
  {
    name: described(Maybe(Type.String({ maxLength: 200 })), 'Part of the name.'),
    tag: Maybe(Type.String({ maxLength: 200 })),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 100),
    after: described(Maybe(NamePosition), 'The `next` of the previous page.'),
  },
  'Body_read_flows_view_views_flows_post',
);
export type FlowsViewBody = Static<typeof FlowsViewBody>;

const flow = {
  id: Uuid(),
  name: Type.String(),
  created: DateTime(),
  tags: Tags,
  deployments: Type.Integer(),
  runs: described(Type.Integer(), 'All runs, counted up to 1,001.'),
  last_runs: described(Type.Array(RunBar), 'Newest first: 16 in a list, 50 of one flow.'),
  next_run: Nullable(NextRun),
};

export const FlowsView = Shape(
  'FlowsView',
  { as_of: DateTime(), flows: Type.Array(Shape('FlowRow', flow, 'ignore')), ...nextPage },
  'ignore',
);

export const FlowView = Shape('FlowView', { as_of: DateTime(), ...flow }, 'ignore');
