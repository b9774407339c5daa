import { DateTime, described, Maybe, Shape, type Static, Type, Uuid } from '../../../schema/kinds.ts';
import { StateType } from '../../filters/field-schema.ts';

/** The position between a page of runs and the next: the id of the last run, and the values by which it was sorted. */
export const RunPosition = Shape(
  'RunPosition',
  {
    id: Uuid(),
    start: described(
      Maybe(DateTime()),
      'Start of the last run, for a sort by start or state; null for a run without a start.',
    ),
    name: Maybe(Type.String()),
    run_time: Maybe(Type.Number()),
    state_type: Maybe(StateType),
  },
  'ignore',
);
export type RunPosition = Static<typeof RunPosition>;
