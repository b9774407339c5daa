import { shelves, standings } from '../../recurrence/recurrence.ts';
import {
  DateTime,
  described,
  Maybe,
  Nullable,
  OneOf,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';
import { StateType } from '../filters/field-schema.ts';

const MOST_LISTED = 200;
/** A cause that is muted for more failures is resolved rather than muted. */
const MOST_MUTED_FOR = 100_000;

const Version = Shape(
  'FailedVersion',
  { version: Type.String(), first_seen: DateTime(), last_seen: DateTime(), count: Type.Integer() },
  'ignore',
);
export type FailedVersion = Static<typeof Version>;

export const FailureCause = Shape(
  'FailureCause',
  {
    id: Uuid(),
    created: DateTime(),
    updated: DateTime(),
    flow_id: described(Uuid(), 'The flow in which the cause is: of the deepest subflow that failed.'),
    flow_name: described(Type.String(), 'The first 300 characters.'),
    cause: described(Type.String(), 'The common part of the messages, without ids, numbers and quoted values.'),
    standing: described(
      OneOf(standings),
      '`new` in its first day, `regressed` when it came after it was resolved, `again` otherwise, unless it is `muted` or `resolved`.',
    ),
    first_seen: DateTime(),
    last_seen: DateTime(),
    count: described(Type.Integer(), 'Failed attempts, each with its subflows as one.'),
    days: described(
      Type.Array(Shape('FailureDay', { day: Type.String(), count: Type.Integer() }, 'ignore')),
      'The newest 30 days (UTC) with failures, oldest first.',
    ),
    versions: described(Type.Array(Version), 'The ten versions of the flow that failed last, newest first.'),
    last_run_id: described(
      Nullable(Uuid()),
      'The run that failed last, at the top of its tree. Null when it was deleted.',
    ),
    last_flow_name: described(
      Nullable(Type.String()),
      'The flow of that run, in which the flow of the cause may be a subflow. Null with the run.',
    ),
    last_run_name: described(Type.String(), 'The first 300 characters.'),
    last_state_type: described(StateType, 'The state in which that run failed, with the next name.'),
    last_state_name: Type.String(),
    last_message: described(
      Nullable(Type.String()),
      'The first 300 characters of the message of the run with the cause.',
    ),
    resolved: described(Nullable(DateTime()), 'When it was resolved; null while it is not.'),
    regressed: Nullable(DateTime()),
    muted_until: Nullable(DateTime()),
    muted_until_count: described(Nullable(Type.Integer()), 'The count at which it is no longer muted.'),
    owner_id: Nullable(Uuid()),
    owner_name: Nullable(Type.String()),
  },
  'ignore',
);

const CausePosition = Shape('FailureCausePosition', { last_seen: DateTime(), id: Uuid() });

export const FailureCausesBody = Parts(
  {
    shelf: described(withDefault(OneOf(shelves), 'open'), '`open`: causes that are neither muted nor resolved.'),
    owner_id: described(Maybe(Uuid()), 'Only causes with this owner.'),
    flow_id: described(Maybe(Uuid()), 'Only causes of this flow.'),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: MOST_LISTED }), 50),
    after: described(Maybe(CausePosition), 'The `next` of the previous page.'),
  },
  'Body_read_failure_causes_views_failure_causes_post',
);
export type FailureCausesBody = Static<typeof FailureCausesBody>;

export const FailureCauses = Shape(
  'FailureCauses',
  {
    as_of: DateTime(),
    causes: described(Type.Array(FailureCause), 'Those that came last are first.'),
    next: described(Nullable(CausePosition), 'Null at the end.'),
  },
  'ignore',
);

export const FailureCauseUpdate = refine(
  Shape('FailureCauseUpdate', {
    resolved: described(Maybe(Type.Boolean()), 'A resolved cause comes back as `regressed` with its next failure.'),
    muted_until: described(Maybe(DateTime()), 'A time in the future. Null ends the muting.'),
    muted_for: described(
      Maybe(Type.Integer({ minimum: 1, maximum: MOST_MUTED_FOR })),
      'Muted until it has failed so many times more. Null ends the muting.',
    ),
    owner_id: described(Maybe(Uuid()), 'A person with a role in this workspace. Null for no owner.'),
  }),
  ({ muted_until, muted_for }) =>
    (muted_until ?? null) !== null && (muted_for ?? null) !== null
      ? 'either muted_until or muted_for must be given'
      : undefined,
);
export type FailureCauseUpdate = Static<typeof FailureCauseUpdate>;
