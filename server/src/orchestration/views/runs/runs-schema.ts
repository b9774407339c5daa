import {
  DateTime,
  described,
  Maybe,
  Nullable,
  OneOf,
  Parts,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';
import { StateType } from '../../filters/field-schema.ts';
import { nullableRunFilters, workFilters } from '../../filters/related-filters.ts';
import { RunRow } from './run-row.ts';

/** The orders of a list of runs. Runs with equal names, run times or states are ordered by id or start. */
const runSorts = [
  'START_TIME_DESC',
  'START_TIME_ASC',
  'NAME_ASC',
  'NAME_DESC',
  'RUN_TIME_ASC',
  'RUN_TIME_DESC',
  'STATE_ASC',
  'STATE_DESC',
] as const;
export type RunListSort = (typeof runSorts)[number];

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

const LARGEST_RUN_PAGE = 200;

export const RunsViewBody = Parts(
  {
    ...nullableRunFilters,
    ...workFilters,
    sort: described(
      withDefault(OneOf(runSorts), 'START_TIME_DESC'),
      '`START_TIME`: by the start, or by the expected start of a run that has not started. `RUN_TIME`: by the seconds in Running states that have ended. `STATE`: by the type of the state, the newest runs of each type first.',
    ),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: LARGEST_RUN_PAGE }), 100),
    after: described(Maybe(RunPosition), 'The `next` of the previous page.'),
    history: described(
      Maybe(
        Shape('RunsViewHistory', {
          start: DateTime(),
          end: DateTime(),
          intervals: Type.Integer({ minimum: 1, maximum: 200 }),
        }),
      ),
      'Adds the counts and the history of the matching runs, which are the same on every page.',
    ),
  },
  'Body_read_runs_view_views_runs_post',
);

export const StateCount = Shape(
  'StateCount',
  { state_type: StateType, state_name: Type.String(), count: Type.Integer() },
  'ignore',
);
export type StateCount = Static<typeof StateCount>;

const RunInterval = Shape(
  'RunInterval',
  {
    interval_start: DateTime(),
    states: Type.Array(
      Shape(
        'RunIntervalState',
        { state_type: StateType, state_name: Type.String(), count_runs: Type.Integer() },
        'ignore',
      ),
    ),
  },
  'ignore',
);

export const RunsView = Shape(
  'RunsView',
  {
    as_of: DateTime(),
    runs: Type.Array(RunRow),
    next: described(
      Nullable(RunPosition),
      'Null at the end. A short or empty page may still have a next one, because a request examines a bounded number of runs.',
    ),
    count: described(Nullable(Type.Integer()), 'All matching runs; null unless `history` was requested.'),
    history: described(
      Nullable(Type.Array(RunInterval)),
      'Matching runs by their start, or by their expected start before they start. Runs outside of the period are only in `count`.',
    ),
    counted_since: described(
      Nullable(DateTime()),
      'Set if the filter has a name or a frequent tag and there are many runs: only runs that started later are counted.',
    ),
  },
  'ignore',
);
