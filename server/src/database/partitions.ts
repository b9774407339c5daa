/**
 * Tables that grow with use are divided by time on PostgreSQL, so that retention drops whole partitions: the disk
 * shrinks at once, and nothing is left to vacuum. SQLite deletes their rows in batches.
 */
import type { Timestamp } from '../values/time.ts';

/** The kinds of rows that are divided. Related resources are divided with their events. */
export type DividedKind = 'events' | 'logs' | 'mcp_requests';

export interface Partitions {
  /**
   * Makes the partitions for now and for the two periods after it. `seconds` is the longest retention time of the kind,
   * undefined if its rows are kept forever.
   */
  makeAhead(kind: DividedKind, now: Timestamp, seconds: number | undefined): Promise<void>;
  /**
   * Drops the partitions whose rows are all older than `before`, unless the SQL condition `unless` holds when no
   * transaction can write any more. Rows of such times that come later are stored, and dropped with the next partition.
   */
  drop(kind: DividedKind, before: Timestamp, unless: string): Promise<void>;
}

const DAY_SECONDS = 86_400;

/** The length of the periods: a query visits each partition, so there are at most some 20 until rows are old. */
export function periodSeconds(retentionSeconds: number | undefined): number {
  if (retentionSeconds === undefined || retentionSeconds > 120 * DAY_SECONDS) return 30 * DAY_SECONDS;
  return retentionSeconds > 14 * DAY_SECONDS ? 7 * DAY_SECONDS : DAY_SECONDS;
}

/**
 * Seconds for which old rows stay in their partition until they are deleted in batches: a partition is dropped when all of
 * its rows are old, which is cheaper.
 */
export function waitForDropSeconds(partitions: Partitions | undefined, retentionSeconds: number): number {
  return partitions === undefined ? 0 : periodSeconds(retentionSeconds) + DAY_SECONDS;
}
