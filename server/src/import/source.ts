/** What an import reads, wherever it lies: objects as the API of a Prefect server answers them. */
import type { Timestamp } from '../time.ts';

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

/** At most `RUNS_TOGETHER` flow runs that have begun. What belongs to them is read once, in the order of the methods. */
export interface RunBatch {
  readonly runs: Page;
  /** How many runs were passed by since the last batch because they have not begun. */
  readonly waiting: number;
  /** The states of each run, in the order of the runs. */
  states(): Promise<readonly Page[]>;
  taskRuns(): AsyncIterable<Page>;
  logs(): AsyncIterable<Page>;
}

/** Its methods throw ConfigError when the source refuses, does not answer, or answers what a Prefect server would not. */
export interface Source {
  /** Names the source for people, and tells one source from another. */
  readonly name: string;
  objects(kind: Kind): AsyncIterable<Page>;
  /** Flow runs whose expected start is between these times, the earliest first. */
  runs(from: Timestamp, end: Timestamp): AsyncIterable<RunBatch>;
  /** Task runs that belong to no flow run. */
  backgroundTaskRuns(since: Timestamp): AsyncIterable<Page>;
  /** The earliest first. */
  events(since: Timestamp, until: Timestamp): AsyncIterable<Page>;
  /** Flow runs from this time on, those that have not begun included. */
  runCount(since: Timestamp): Promise<number>;
  /** How many objects of each kind there are, as people call the kinds. */
  counts(since: Timestamp): Promise<Record<string, number>>;
}

/** Runs in these states have not begun. They stay behind: schedules make theirs again, and nothing starts twice. */
const NOT_BEGUN = new Set(['SCHEDULED', 'PENDING']);

export function hasBegun(run: SourceObject): boolean {
  return !NOT_BEGUN.has(String(run['state_type']));
}
