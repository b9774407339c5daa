import type { Migration } from './migration.ts';
import { backfills } from './orchestration/backfills.ts';
import { blocks, blocksTakeAlong } from './orchestration/blocks.ts';
import { content } from './orchestration/content.ts';
import { deployments } from './orchestration/deployments.ts';
import { flowRunCounts } from './orchestration/flow-run-counts.ts';
import { flowRunSums } from './orchestration/flow-run-sums.ts';
import { flowRuns, runDeadlines } from './orchestration/flow-runs.ts';
import { limits } from './orchestration/limits.ts';
import { runOrders } from './orchestration/run-orders.ts';
import { taskRuns } from './orchestration/task-runs.ts';
import { webhooks } from './orchestration/webhooks.ts';
import { work } from './orchestration/work.ts';

const tables = [
  ...flowRuns,
  ...taskRuns,
  ...runDeadlines,
  ...work,
  ...deployments,
  ...backfills,
  ...limits,
  ...content,
  ...blocks,
  ...webhooks,
];

/** The tables of a workspace. The key of the workspace is the first column of each. */
export const orchestration: Migration = {
  name: '0002-orchestration',
  statements: {
    sqlite: [...tables, ...flowRunCounts.sqlite, ...runOrders.sqlite, ...flowRunSums.sqlite, ...blocksTakeAlong.sqlite],
    postgres: [
      ...tables,
      ...flowRunCounts.postgres,
      ...runOrders.postgres,
      ...flowRunSums.postgres,
      ...blocksTakeAlong.postgres,
    ],
  },
};
