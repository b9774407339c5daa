import type { Resource } from '../generate/resource.ts';
import { artifacts } from './artifacts.ts';
import { deploymentRuns } from './deployment-runs.ts';
import { deployments } from './deployments.ts';
import { events } from './events.ts';
import { flowRunReads } from './flow-run-reads.ts';
import { flowRuns } from './flow-runs.ts';
import { flows } from './flows.ts';
import { logs } from './logs.ts';
import { protocol } from './protocol.ts';
import { savedSearches } from './saved-searches.ts';
import { serverInfo } from './server-info.ts';
import { subflows } from './subflows.ts';
import { taskRunEvents } from './task-run-events.ts';
import { taskRuns } from './task-runs.ts';
import { variables } from './variables.ts';
import { workPools } from './work-pools.ts';

/** In the order in which they are populated: a resource may choose from the objects of those before it. */
export const resources: readonly Resource[] = [
  serverInfo,
  variables,
  workPools,
  flows,
  deployments,
  flowRuns,
  taskRuns,
  subflows,
  flowRunReads,
  deploymentRuns,
  taskRunEvents,
  artifacts,
  logs,
  savedSearches,
  events,
  protocol,
];
