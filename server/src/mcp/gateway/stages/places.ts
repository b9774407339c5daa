import { BUSY } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** Refuses a call when the limit of open requests to servers is reached. */
export const places: Stage = (_call, { receiver }) => (receiver.isFull ? BUSY : undefined);
