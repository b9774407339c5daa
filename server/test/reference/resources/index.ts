import type { Resource } from '../generate/resource.ts';
import { artifacts } from './artifacts.ts';
import { automations } from './automations.ts';
import { blockDocuments, blockTypes } from './blocks.ts';
import { clockChanges } from './clock-changes.ts';
import { concurrencyLimits } from './concurrency-limits.ts';
import { deploymentRuns } from './deployment-runs.ts';
import { deployments } from './deployments.ts';
import { events } from './events.ts';
import { flowRunReads } from './flow-run-reads.ts';
import { flowRuns } from './flow-runs.ts';
import { flows } from './flows.ts';
import { logs } from './logs.ts';
import { protocol } from './protocol.ts';
import { savedSearches } from './saved-searches.ts';
import { secondAttempts } from './second-attempts.ts';
import { serverInfo } from './server-info.ts';
import { subflows } from './subflows.ts';
import { tagLimits } from './tag-limits.ts';
import { taskRunEvents } from './task-run-events.ts';
import { taskRuns } from './task-runs.ts';
import { ui } from './ui.ts';
import { variables } from './variables.ts';
import { workPools, workQueuesOfPools } from './work-pools.ts';
import { workQueues } from './work-queues.ts';

/** In the order in which they are populated: a resource may choose from the objects of those before it. */
export const resources: readonly Resource[] = [
  serverInfo,
  variables,
  workPools,
  workQueuesOfPools,
  workQueues,
  flows,
  deployments,
  flowRuns,
  taskRuns,
  subflows,
  flowRunReads,
  deploymentRuns,
  clockChanges,
  secondAttempts,
  taskRunEvents,
  artifacts,
  logs,
  savedSearches,
  concurrencyLimits,
  tagLimits,
  blockTypes,
  blockDocuments,
  automations,
  ui,
  events,
  protocol,
];
