import { refillDueDeployments } from '../orchestration/deployments/refill.ts';
import type { Service } from './service.ts';

/** Makes the runs of schedules before they are due. Edits wake it; another replica sees them in its next pass. */
export const scheduler: Service = { name: 'scheduler', everySeconds: 5, runOnce: refillDueDeployments };
