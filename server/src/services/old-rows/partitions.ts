import type { Server } from '../../context/context.ts';
import type { DividedKind } from '../../database/partitions.ts';
import { isHeldAnywhere } from '../../orchestration/retention/import-hold.ts';
import { addSeconds, type Timestamp } from '../../values/time.ts';

type Part = Pick<Server, 'config' | 'store'>;

interface Kept {
  /** The longest time for which rows are kept. Undefined: forever. */
  readonly seconds: number | undefined;
  /** The kind under which an import keeps its rows. */
  readonly held?: 'events' | 'flow_runs';
}

function keptIn({ retention, ...config }: Server['config']): Readonly<Record<DividedKind, Kept>> {
  const when = (kind: DividedKind, seconds: number) => (retention.has(kind) ? seconds : undefined);
  return {
    events: { seconds: when('events', config.eventRetentionSeconds), held: 'events' },
    logs: { seconds: when('logs', config.runRetentionSeconds), held: 'flow_runs' },
    mcp_requests: { seconds: when('mcp_requests', config.mcpRequestRetentionSeconds) },
  };
}

/** Makes the partitions for the rows of the next time. A row without a partition is stored all the same. */
export async function makePartitions({ config, store }: Part, now: Timestamp): Promise<void> {
  for (const [kind, { seconds }] of Object.entries(keptIn(config))) {
    await store.partitions?.makeAhead(kind as DividedKind, now, seconds);
  }
}

/** Also drops the partitions whose rows are all older than the longest time for which a workspace keeps them. */
export async function keepPartitions(part: Part, now: Timestamp): Promise<void> {
  await makePartitions(part, now);
  for (const [kind, { seconds, held }] of Object.entries(keptIn(part.config))) {
    if (seconds === undefined) continue;
    const unless = held === undefined ? 'false' : isHeldAnywhere(held, now, seconds);
    await part.store.partitions?.drop(kind as DividedKind, addSeconds(now, -seconds), unless);
  }
}
