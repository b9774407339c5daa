import { markLateRuns } from '../orchestration/runs/upkeep/late-runs.ts';
import type { Service } from './service.ts';

/** Names the runs Late that should have begun and did not. */
export const lateRuns: Service = { name: 'late-runs', everySeconds: 5, runOnce: markLateRuns };
