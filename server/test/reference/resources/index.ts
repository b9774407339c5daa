import type { Resource } from '../generate/resource.ts';
import { flowRunReads } from './flow-run-reads.ts';
import { flowRuns } from './flow-runs.ts';
import { flows } from './flows.ts';
import { taskRuns } from './task-runs.ts';

/** In the order in which they are populated: a resource may choose from the objects of those before it. */
export const resources: readonly Resource[] = [flows, flowRuns, taskRuns, flowRunReads];
