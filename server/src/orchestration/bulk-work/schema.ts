import {
  DateTime,
  described,
  Enum,
  Maybe,
  Nullable,
  OneOf,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { CreatedBy, StateType } from '../filters/field-schema.ts';
import { StateName } from '../runs/rows/state-schema.ts';
import { runsFilters } from '../views/runs/runs-schema.ts';

const MAX_MESSAGE_LENGTH = 1000;
/** Runs that one request names. */
const MOST_NAMED = 10_000;
/** Runs of one work that a filter finds. */
export const MOST_RUNS = 100_000;
/** Failures that a work keeps. */
export const MOST_FAILURES = 10;
/** The longest wait before the first run: long enough to change one's mind. */
export const LONGEST_DELAY_SECONDS = 60;

const actions = ['retry', 'cancel', 'delete', 'set_state'] as const;
export type BulkAction = (typeof actions)[number];

const BulkWorkStatus = Enum('BulkWorkStatus', ['SCHEDULED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED']);

export const RunsMatching = Shape('RunsMatching', runsFilters);
export type RunsMatching = Static<typeof RunsMatching>;

const BulkState = Shape('BulkState', {
  type: StateType,
  name: Maybe(StateName),
  message: Maybe(Type.String({ maxLength: MAX_MESSAGE_LENGTH })),
});
export type BulkState = Static<typeof BulkState>;

export const BulkWorkCreate = refine(
  Shape('BulkWorkCreate', {
    action: described(
      OneOf(actions),
      '`retry`: failed and crashed runs of a deployment become AwaitingRetry. `cancel`: runs that have not ended become Cancelling or Cancelled. `delete`: runs are deleted with their task runs, states and logs. `set_state`: `state` is proposed.',
    ),
    state: described(Maybe(BulkState), 'For `set_state` only.'),
    force: described(withDefault(Type.Boolean(), false), 'For `set_state` only: passes over the orchestration rules.'),
    flow_run_ids: described(
      Maybe(Type.Array(Uuid(), { minItems: 1, maxItems: MOST_NAMED })),
      'The runs. Ids without a run are left out. Either this or `matching` is given.',
    ),
    matching: described(
      Maybe(RunsMatching),
      `The filters of a list of runs: all runs that match now, at most ${MOST_RUNS}. Runs that are created later, or match later, are not taken.`,
    ),
    delay_seconds: described(
      withDefault(Type.Integer({ minimum: 0, maximum: LONGEST_DELAY_SECONDS }), 0),
      'Seconds before the first run. Until then, a cancelled work has changed nothing.',
    ),
  }),
  ({ action, state, force, flow_run_ids, matching }) => {
    const isNamed = (flow_run_ids ?? null) !== null;
    if (isNamed === ((matching ?? null) !== null)) return 'either flow_run_ids or matching must be given';
    if ((action === 'set_state') !== ((state ?? null) !== null))
      return 'state must be given for set_state, and only then';
    return force && action !== 'set_state' ? 'force can only be given for set_state' : undefined;
  },
);
export type BulkWorkCreate = Static<typeof BulkWorkCreate>;

const BulkFailure = Shape(
  'BulkFailure',
  { flow_run_id: Uuid(), flow_run_name: Type.String(), reason: Type.String() },
  'ignore',
);
export type BulkFailure = Static<typeof BulkFailure>;

export const BulkWork = Shape(
  'BulkWork',
  {
    id: Uuid(),
    created: DateTime(),
    updated: DateTime(),
    action: OneOf(actions),
    state_type: described(Nullable(StateType), 'The type of the proposed state, for `set_state`.'),
    state_name: Nullable(Type.String()),
    status: BulkWorkStatus,
    starts_at: DateTime(),
    ended: Nullable(DateTime()),
    total: Type.Integer(),
    done: Type.Integer(),
    skipped: described(Type.Integer(), 'Runs to which the action does not apply, and runs that are gone.'),
    failed: described(Type.Integer(), 'Runs that refused it.'),
    failures: described(Type.Array(BulkFailure), `The first ${MOST_FAILURES} failures.`),
    problem: described(Nullable(Type.String()), 'The reason why the rest is not done, for FAILED.'),
    created_by: Nullable(CreatedBy),
  },
  'ignore',
);
