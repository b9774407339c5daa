import { expirePauses } from '../orchestration/runs/upkeep/expired-pauses.ts';
import type { Service } from './service.ts';

/** Paused runs that nobody resumed in time fail. */
export const pauseExpiry: Service = { name: 'pause-expiry', everySeconds: 5, runOnce: expirePauses };
