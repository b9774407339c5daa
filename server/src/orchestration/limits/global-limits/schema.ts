import {
  described,
  givenFieldsOnly,
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
import { SearchedText, ValueList } from '../../../schema/value-list.ts';
import { deprecated, Name, stamps } from '../../filters/field-schema.ts';
import { limit, offset } from '../../filters/filter-schema.ts';

/** Average seconds that slots are held, until a client reports a measured time. */
export const DEFAULT_OCCUPANCY_SECONDS = 2;

const Count = Type.Integer({ minimum: 0 });
const Decay = Type.Number({ minimum: 0 });

export const ConcurrencyLimitV2 = Shape(
  'ConcurrencyLimitV2',
  {
    ...stamps,
    active: withDefault(Type.Boolean(), true),
    name: Name,
    limit: Type.Integer(),
    active_slots: withDefault(Type.Integer(), 0),
    denied_slots: withDefault(Type.Integer(), 0),
    slot_decay_per_second: described(
      withDefault(Type.Number(), 0),
      'Slots that become free each second; 0 if slots are only released.',
    ),
    avg_slot_occupancy_seconds: described(
      withDefault(Type.Number(), DEFAULT_OCCUPANCY_SECONDS),
      'Average seconds for which slots were held. It determines the wait in `Retry-After`.',
    ),
  },
  'ignore',
);
export type ConcurrencyLimitV2 = Static<typeof ConcurrencyLimitV2>;

export const ConcurrencyLimitV2Create = Shape('ConcurrencyLimitV2Create', {
  active: withDefault(Type.Boolean(), true),
  name: Name,
  limit: Count,
  active_slots: withDefault(Count, 0),
  denied_slots: withDefault(Count, 0),
  slot_decay_per_second: described(
    withDefault(Decay, 0),
    'Slots that become free each second; 0 if slots are only released.',
  ),
});
export type ConcurrencyLimitV2Create = Static<typeof ConcurrencyLimitV2Create>;

export const ConcurrencyLimitV2Update = givenFieldsOnly(
  Shape('ConcurrencyLimitV2Update', {
    active: Maybe(Type.Boolean()),
    name: Maybe(Name),
    limit: Maybe(Count),
    active_slots: Maybe(Count),
    denied_slots: Maybe(Count),
    slot_decay_per_second: described(Maybe(Decay), 'Slots that become free each second; 0 if slots are only released.'),
  }),
);
export type ConcurrencyLimitV2Update = Static<typeof ConcurrencyLimitV2Update>;

export const GlobalConcurrencyLimitResponse = Shape(
  'GlobalConcurrencyLimitResponse',
  {
    ...stamps,
    active: withDefault(Type.Boolean(), true),
    name: Type.String(),
    limit: Type.Integer(),
    active_slots: Type.Integer(),
    slot_decay_per_second: described(
      withDefault(Type.Number(), 2),
      'Slots that become free each second; 0 if slots are only released.',
    ),
  },
  'ignore',
);
export type GlobalConcurrencyLimitResponse = Static<typeof GlobalConcurrencyLimitResponse>;

export const MinimalConcurrencyLimitResponse = Shape(
  'MinimalConcurrencyLimitResponse',
  { id: Uuid(), name: Type.String(), limit: Type.Integer() },
  'ignore',
);
export type MinimalConcurrencyLimitResponse = Static<typeof MinimalConcurrencyLimitResponse>;

export const ConcurrencyLimitWithLeaseResponse = Shape(
  'ConcurrencyLimitWithLeaseResponse',
  { lease_id: Uuid(), limits: Type.Array(MinimalConcurrencyLimitResponse) },
  'ignore',
);
export type ConcurrencyLimitWithLeaseResponse = Static<typeof ConcurrencyLimitWithLeaseResponse>;

export const ConcurrencyLeaseHolder = Shape('ConcurrencyLeaseHolder', {
  type: OneOf(['flow_run', 'task_run', 'deployment']),
  id: Uuid(),
});
export type ConcurrencyLeaseHolder = Static<typeof ConcurrencyLeaseHolder>;

const slots = Type.Integer({ exclusiveMinimum: 0 });
const names = { ...ValueList(SearchedText), minItems: 1 };
const mode = withDefault(OneOf(['concurrency', 'rate_limit']), 'concurrency');
/** The lease's duration in seconds. */
const lease_duration = withDefault(Type.Number({ minimum: 60, maximum: 86_400 }), 300);

export const concurrencyLimitBodies = {
  filter: Parts({ offset, limit }, 'Body_read_all_concurrency_limits_v2_v2_concurrency_limits_filter_post'),
  increment: Parts(
    { slots, names, mode, create_if_missing: Type.Optional(deprecated(Nullable(Type.Boolean()))) },
    'Body_bulk_increment_active_slots_v2_concurrency_limits_increment_post',
  ),
  incrementWithLease: Parts(
    { slots, names, mode, lease_duration, holder: Maybe(ConcurrencyLeaseHolder) },
    'Body_bulk_increment_active_slots_with_lease_v2_concurrency_limits_increment_with_lease_post',
  ),
  decrement: Parts(
    {
      slots,
      names,
      occupancy_seconds: described(
        Maybe(Type.Number({ exclusiveMinimum: 0 })),
        'Seconds for which the slots were held.',
      ),
      create_if_missing: Type.Optional(deprecated(Type.Boolean())),
    },
    'Body_bulk_decrement_active_slots_v2_concurrency_limits_decrement_post',
  ),
  decrementWithLease: Parts(
    { lease_id: Uuid() },
    'Body_bulk_decrement_active_slots_with_lease_v2_concurrency_limits_decrement_with_lease_post',
  ),
  renew: Parts({ lease_duration }, 'Body_renew_concurrency_lease_v2_concurrency_limits_leases__lease_id__renew_post'),
};
