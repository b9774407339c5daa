/** What an import reads, wherever it lies: objects as the API of a Prefect server answers them. */
import type { Timestamp } from '../../../values/time.ts';

export type SourceObject = Readonly<Record<string, unknown>>;
export type Page = readonly SourceObject[];

/** Kinds of objects that are read as a whole, in the order of an import. */
export const KINDS = [
  'variables',
  'concurrency_limits',
  'tag_concurrency_limits',
  'block_types',
  'block_schemas',
  'block_documents',
  'work_pools',
  'work_queues',
  'flows',
  'deployments',
  'automations',
  'saved_searches',
  'artifacts',
  'artifact_keys',
] as const;

export type Kind = (typeof KINDS)[number];

/** Runs that are brought together. */
export const RUNS_TOGETHER = 50;

/** At most `RUNS_TOGETHER` flow runs. What belongs to them is read once, in the order of the methods. */
export interface RunBatch {
  readonly runs: Page;
  /** The states of each run, in the order of the runs. */
  states(): Promise<readonly Page[]>;
  taskRuns(): AsyncIterable<Page>;
  logs(): AsyncIterable<Page>;
  /** What runs that have not ended were sent, or wait for. */
  inputs(): AsyncIterable<Page>;
}

/** Its methods throw ConfigError when the source refuses, does not answer, or answers what a Prefect server would not. */
export interface Source {
  /** Names the source for people, and tells one source from another. */
  readonly name: string;
  /** Sentences for the person, about what was read so far. */
  readonly remarks: readonly string[];
  objects(kind: Kind): AsyncIterable<Page>;
  /**
   * Flow runs that have begun and whose expected start is between these times, the earliest first. A dry run reads no
   * states.
   */
  runs(from: Timestamp, end: Timestamp, isDry?: boolean): AsyncIterable<RunBatch>;
  /** All flow runs that have not begun, whenever they are expected to. */
  waitingRuns(isDry?: boolean): AsyncIterable<RunBatch>;
  /** Task runs that belong to no flow run. */
  backgroundTaskRuns(since: Timestamp): AsyncIterable<Page>;
  /** The earliest first. */
  events(since: Timestamp, until: Timestamp): AsyncIterable<Page>;
  /** Flow runs from this time on that have begun. */
  runCount(since: Timestamp): Promise<number>;
  /** Flow runs before this time, which the import does not ask for. */
  earlierRunCount(since: Timestamp): Promise<number>;
  /** The mark that the workspace of the source shows, when it is one of Signalbox (`same-workspace.ts`). */
  marker(): Promise<unknown>;
}

/** Runs in these states have not begun. */
export const NOT_BEGUN: ReadonlySet<string> = new Set(['SCHEDULED', 'PENDING']);
const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']);

export function hasBegun(run: SourceObject): boolean {
  return !NOT_BEGUN.has(String(run['state_type']));
}

export function hasNotEnded(run: SourceObject): boolean {
  return !ENDED.has(String(run['state_type']));
}
