import type { Migration } from '../migrate.ts';
import { workspaces } from './0001-workspaces.ts';
import { flowsAndRuns } from './0002-flows-and-runs.ts';
import { taskRuns } from './0003-task-runs.ts';
import { deploymentsAndPools } from './0004-deployments-and-pools.ts';
import { logsArtifactsVariables } from './0005-logs-artifacts-variables.ts';
import { events } from './0006-events.ts';
import { flowRunCounts } from './0007-flow-run-counts.ts';
import { concurrencyLeases } from './0008-concurrency-leases.ts';
import { blocks } from './0009-blocks.ts';
import { workers } from './0010-workers.ts';

import { schedules } from './0011-schedules.ts';
import { runDeadlines } from './0012-run-deadlines.ts';
import { automations } from './0013-automations.ts';
import { taskQueueAndWorkerChannel } from './0014-task-queue-and-worker-channel.ts';
import { runOrders } from './0016-run-orders.ts';

import { identity } from './0018-identity.ts';
import { setUp } from './0020-set-up.ts';
import { identityProviders } from './0021-identity-providers.ts';
import { runHistories } from './0026-run-histories.ts';
import { mcpServers } from './0030-mcp-servers.ts';
import { hosting } from './0031-hosting.ts';
import { mcpRequestOrder } from './0033-mcp-request-order.ts';
import { flowRunSums } from './0040-flow-run-sums.ts';
import { eventResources } from './0045-event-resources.ts';
import { activeRuns } from './0046-active-runs.ts';
import { manifestDue } from './0048-manifest-due.ts';
import { blocksTakeAlong } from './0049-blocks-take-along.ts';
import { eventResourcesByEvent } from './0050-event-resources-by-event.ts';
import { removedWorkspaces } from './0051-removed-workspaces.ts';
import { writeProbe } from './0060-write-probe.ts';
import { attempts } from './0075-attempts.ts';
import { deniedAs } from './0085-denied-as.ts';
import { accessVersion } from './0086-access-version.ts';
import { observedStates } from './0095-observed-states.ts';
import { removals } from './0110-removals.ts';

/** Every change of the schema, oldest first. A released one never changes; a new change is a new file at the end. */
export const migrations: readonly Migration[] = [
  workspaces,
  flowsAndRuns,
  taskRuns,
  deploymentsAndPools,
  logsArtifactsVariables,
  events,
  flowRunCounts,
  concurrencyLeases,
  blocks,
  workers,
  schedules,
  runDeadlines,
  automations,
  taskQueueAndWorkerChannel,
  runOrders,
  identity,
  setUp,
  identityProviders,
  runHistories,
  mcpServers,
  hosting,
  mcpRequestOrder,
  flowRunSums,
  eventResources,
  activeRuns,
  manifestDue,
  blocksTakeAlong,
  eventResourcesByEvent,
  removedWorkspaces,
  deniedAs,
  writeProbe,
  removals,
  observedStates,
  accessVersion,
  attempts,
];
