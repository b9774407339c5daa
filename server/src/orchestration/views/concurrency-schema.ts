import {
  DateTime,
  described,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  Uuid,
  withDefault,
} from '../../schema/kinds.ts';

/** The most limits on one page. */
export const MOST_LIMITS = 200;

export const limitsQuery = Type.Object({
  offset: described(withDefault(Type.Integer({ minimum: 0 }), 0), 'Number of limits on the previous pages.'),
});

const SlotHolder = Shape(
  'ConcurrencySlotHolder',
  {
    lease_id: Uuid(),
    slots: Type.Integer(),
    type: described(Nullable(OneOf(['flow_run', 'task_run', 'deployment'])), 'Null if the client gave no name.'),
    id: Nullable(Uuid()),
    name: described(Nullable(Type.String()), 'Null for a holder that is not stored or was deleted.'),
    state_type: described(Nullable(Type.String()), 'State of the holder, if it is a run.'),
    since: DateTime(),
    expires_at: described(Nullable(DateTime()), 'Null for slots that are held until they are released.'),
  },
  'ignore',
);
export type SlotHolder = Static<typeof SlotHolder>;

const SlotWaiter = Shape(
  'ConcurrencySlotWaiter',
  { id: Uuid(), name: Type.String(), since: Nullable(DateTime()) },
  'ignore',
);

export const LimitRow = Shape(
  'ConcurrencyLimitRow',
  {
    id: Uuid(),
    created: DateTime(),
    updated: DateTime(),
    name: Type.String(),
    kind: described(
      OneOf(['global', 'tag', 'deployment']),
      '`tag` limits the task runs with a tag, `deployment` the runs of one deployment.',
    ),
    deployment: Nullable(
      Shape('LimitedDeployment', { id: Uuid(), name: Type.String(), flow_name: Type.String() }, 'ignore'),
    ),
    active: Type.Boolean(),
    limit: Type.Integer(),
    active_slots: Type.Integer(),
    unleased_slots: described(Type.Integer(), 'Slots in use without a lease, whose holders are unknown.'),
    slot_decay_per_second: Type.Number(),
    avg_slot_occupancy_seconds: Type.Number(),
    denied_slots: described(Type.Integer(), 'Estimated number of recently refused slots that clients still request.'),
    holder_count: described(Type.Integer(), 'Leases that hold slots.'),
    holders: described(Type.Array(SlotHolder), 'The oldest leases: 5 in a list, 200 of one limit.'),
    waiter_count: described(Type.Integer(), 'Flow runs that wait for a slot of their deployment.'),
    waiters: described(Type.Array(SlotWaiter), 'The runs that wait longest: 5 in a list, 200 of one limit.'),
  },
  'ignore',
);

export const LimitsView = Shape(
  'ConcurrencyView',
  {
    as_of: DateTime(),
    limits: described(Type.Array(LimitRow), 'By name.'),
    next: described(Nullable(Type.Integer()), 'The `offset` of the next page; null on the last one.'),
  },
  'ignore',
);
