/** States that runs of a workspace have had. */
import { DateTime, Enum, Shape, type Static, Type } from '../../schema/kinds.ts';

export const ObservedState = Shape(
  'ObservedState',
  {
    state_type: Type.String(),
    state_name: Type.String(),
    first_seen: DateTime(),
    last_seen: DateTime(),
  },
  'ignore',
);
export type ObservedState = Static<typeof ObservedState>;

export const ObservedStateSort = Enum('ObservedStateSort', ['NAME_ASC', 'LAST_SEEN_DESC']);
export type ObservedStateSort = Static<typeof ObservedStateSort>;
