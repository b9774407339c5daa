import { BUSY } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** Whether one more request to a server may be under way. */
export const places: Stage = (_call, { receiver }) => (receiver.isFull ? BUSY : undefined);
