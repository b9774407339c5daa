import { Shape, type Static, Type, withDefault } from '../../schema/kinds.ts';
import { stamps } from '../field-schema.ts';

export const GlobalConcurrencyLimitResponse = Shape(
  'GlobalConcurrencyLimitResponse',
  {
    ...stamps,
    active: withDefault(Type.Boolean(), true),
    name: Type.String(),
    limit: Type.Integer(),
    active_slots: Type.Integer(),
    slot_decay_per_second: withDefault(Type.Number(), 2),
  },
  'ignore',
);
export type GlobalConcurrencyLimitResponse = Static<typeof GlobalConcurrencyLimitResponse>;
