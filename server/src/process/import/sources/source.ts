/** The interface of an import's source: objects in the form of the API of a Prefect server. */
import type { Timestamp } from '../../../values/time.ts';

export type SourceObject = Readonly<Record<string, unknown>>;
export type Page = readonly SourceObject[];

/** Kinds of objects that are read completely, in the order of an import. */
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

/** Runs in one batch. */
export const RUNS_TOGETHER = 50;

/** At most `RUNS_TOGETHER` flow runs. Their data is read once, in the order of the methods. */
export interface RunBatch {
  readonly runs: Page;
  /** The states of each run, in the order of the runs. */
  states(): Promise<readonly Page[]>;
  taskRuns(): AsyncIterable<Page>;
  logs(): AsyncIterable<Page>;
  /** The inputs that unfinished runs received or wait for. */
  inputs(): AsyncIterable<Page>;
}

/**
 * Its methods throw ConfigError when the source refuses, does not answer, or gives an answer that no Prefect server
 * gives.
 */
export interface Source {
  /** Identifies the source, for people and for the comparison of sources. */
  readonly name: string;
  /** Sentences for the person about the data read so far. */
  readonly remarks: readonly string[];
  objects(kind: Kind): AsyncIterable<Page>;
  /**
   * Flow runs that have begun and whose expected start is between these times, earliest first. A dry run reads no
   * states.
   */
  runs(from: Timestamp, end: Timestamp, isDry?: boolean): AsyncIterable<RunBatch>;
  /** All flow runs that have not begun, regardless of their expected start. */
  waitingRuns(isDry?: boolean): AsyncIterable<RunBatch>;
  /** Task runs without a flow run. */
  backgroundTaskRuns(since: Timestamp): AsyncIterable<Page>;
  /** Earliest first. */
  events(since: Timestamp, until: Timestamp): AsyncIterable<Page>;
  /** Flow runs from this time on that have begun. */
  runCount(since: Timestamp): Promise<number>;
  /** Number of flow runs before this time, which the import omits. */
  earlierRunCount(since: Timestamp): Promise<number>;
  /** The mark in the workspace of the source, if the source is a Signalbox server (`same-workspace.ts`). */
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
