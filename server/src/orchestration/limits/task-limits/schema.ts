import { Maybe, Parts, Shape, type Static, Type, Uuid, withDefault } from '../../../schema/kinds.ts';
import { SearchedText, ValueList } from '../../../schema/value-list.ts';
import { stamps } from '../../filters/field-schema.ts';
import { limit, offset } from '../../filters/filter-schema.ts';

export const ConcurrencyLimit = Shape(
  'ConcurrencyLimit',
  {
    ...stamps,
    tag: Type.String(),
    concurrency_limit: Type.Integer(),
    /** The task runs that hold a slot. */
    active_slots: withDefault(Type.Array(Uuid()), []),
  },
  'ignore',
);
export type ConcurrencyLimit = Static<typeof ConcurrencyLimit>;

export const ConcurrencyLimitCreate = Shape('ConcurrencyLimitCreate', {
  tag: Type.String(),
  concurrency_limit: Type.Integer(),
});
export type ConcurrencyLimitCreate = Static<typeof ConcurrencyLimitCreate>;

const names = ValueList(SearchedText);
const task_run_id = Uuid();

export const tagLimitBodies = {
  filter: Parts({ offset, limit }, 'Body_read_concurrency_limits_concurrency_limits_filter_post'),
  reset: Parts(
    { slot_override: Maybe(ValueList(Uuid())) },
    'Body_reset_concurrency_limit_by_tag_concurrency_limits_tag__tag__reset_post',
  ),
  increment: Parts({ names, task_run_id }, 'Body_increment_concurrency_limits_v1_concurrency_limits_increment_post'),
  decrement: Parts({ names, task_run_id }, 'Body_decrement_concurrency_limits_v1_concurrency_limits_decrement_post'),
};
