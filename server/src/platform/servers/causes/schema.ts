import { shelves, standings } from '../../../recurrence/recurrence.ts';
import {
  DateTime,
  described,
  Maybe,
  Nullable,
  OneOf,
  refine,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../../schema/kinds.ts';

const MOST_MUTED_FOR = 100_000;

export const ServerFailureCause = Shape(
  'ServerFailureCause',
  {
    id: Uuid(),
    server: Shape('FailingServer', { id: Uuid(), slug: Type.String(), name: Type.String() }, 'ignore'),
    failure: described(Type.String(), 'The kind of the failure, as `reason` of a failed request explains it.'),
    reason: Type.String(),
    cure: Type.String(),
    standing: described(
      OneOf(standings),
      '`new` in its first day, `regressed` when it came after it was resolved, `again` otherwise, unless it is `muted` or `resolved`.',
    ),
    firstSeenAt: DateTime(),
    lastSeenAt: DateTime(),
    count: Type.Integer(),
    days: described(
      Type.Array(Shape('ServerFailureDay', { day: Type.String(), count: Type.Integer() }, 'ignore')),
      'The newest 30 days (UTC) with failures, oldest first.',
    ),
    resolvedAt: Nullable(DateTime()),
    regressedAt: Nullable(DateTime()),
    mutedUntil: Nullable(DateTime()),
    mutedUntilCount: described(Nullable(Type.Integer()), 'The count at which it is no longer muted.'),
    ownerId: Nullable(Uuid()),
    ownerName: Nullable(Type.String()),
  },
  'ignore',
);

export const ServerFailureCauses = Shape(
  'ServerFailureCauses',
  { items: described(Type.Array(ServerFailureCause), 'At most 200; those that came last are first.') },
  'ignore',
);

export const serverCausesQuery = Type.Object({
  shelf: described(withDefault(OneOf(shelves), 'open'), '`open`: causes that are neither muted nor resolved.'),
});

export const ServerFailureCauseUpdate = refine(
  Shape('ServerFailureCauseUpdate', {
    resolved: described(Maybe(Type.Boolean()), 'A resolved cause comes back as `regressed` with its next failure.'),
    mutedUntil: described(Maybe(DateTime()), 'A time in the future. Null ends the muting.'),
    mutedFor: described(
      Maybe(Type.Integer({ minimum: 1, maximum: MOST_MUTED_FOR })),
      'Muted until it has failed so many times more. Null ends the muting.',
    ),
    ownerId: described(Maybe(Uuid()), 'A member of the organization. Null for no owner.'),
  }),
  ({ mutedUntil, mutedFor }) =>
    (mutedUntil ?? null) !== null && (mutedFor ?? null) !== null
      ? 'either mutedUntil or mutedFor must be given'
      : undefined,
);
export type ServerFailureCauseUpdate = Static<typeof ServerFailureCauseUpdate>;
