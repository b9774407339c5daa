import { FOREIGN_ORIGIN } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** Refuses pages of other origins, and foreign host names that point here. */
export const foreignPage: Stage = ({ request }, { hostCheck }) =>
  hostCheck.isForeign(request) ? FOREIGN_ORIGIN : undefined;
