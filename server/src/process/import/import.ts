/**
 * Copies the data of a Prefect server into a workspace with its ids and times, so that links and idempotency keys stay
 * valid. Existing objects are not changed, so an import can be repeated; an interrupted import continues with the runs
 * at which it stopped.
 */
import { deleteConfiguration, findConfiguration, putConfiguration } from '../../database/opening/configuration.ts';
import { parseDateTime } from '../../schema/parse-datetime.ts';
import { jsonTextOf, parseObject } from '../../values/json.ts';
import { type Timestamp, wireTimestamp } from '../../values/time.ts';
import { importAutomations } from './automations.ts';
import { importBlocks } from './blocks.ts';
import {
  importDeployments,
  importFlows,
  importLimits,
  importPools,
  importSavedSearches,
  importVariables,
} from './definitions.ts';
import { leftToDo } from './left-to-do.ts';
import { importArtifacts, importEvents } from './records.ts';
import { importBackgroundTaskRuns, importRuns, importWaitingRuns } from './runs.ts';
import { refuseSameWorkspace } from './same-workspace.ts';
import type { Import } from './step.ts';
import type { Brought, Left } from './target.ts';

export type { Import } from './step.ts';

/** A step may refer only to objects of the steps before it. */
const definitions: readonly [string, (given: Import) => Promise<void>][] = [
  ['variables', importVariables],
  ['concurrency limits', importLimits],
  ['blocks', importBlocks],
  ['work pools', importPools],
  ['flows', importFlows],
  ['deployments', importDeployments],
  ['automations', importAutomations],
  ['saved searches', importSavedSearches],
  ['artifacts', importArtifacts],
];

/** The key under which the position of an interrupted import is stored. */
const POSITION = 'import';

export interface Report {
  /** True if nothing was written: the counts show what an import would do. */
  readonly isDry: boolean;
  /** Address or folder of the source. */
  readonly source: string;
  readonly objects: Readonly<Record<string, Brought>>;
  /** The objects that stay in the source, with the reasons. */
  readonly left: readonly Left[];
  readonly remarks: readonly string[];
}

/**
 * Throws ConfigError when the source cannot be read, or is the workspace itself. Objects that were already imported
 * stay. A dry run reads the same except states and logs of runs, and writes nothing.
 */
export async function runImport(given: Import): Promise<Report> {
  const { source, target, onProgress } = given;
  await refuseSameWorkspace(source, target);
  for (const [what, bring] of definitions) {
    onProgress(what);
    await bring(given);
  }
  await importAllRuns(given);
  onProgress('background task runs');
  await importBackgroundTaskRuns(given);
  await importEvents(given);
  onProgress('runs that have not started');
  await importWaitingRuns(given);
  await leaveEarlierRuns(given);
  if (!target.isDry) await target.transaction((tx) => deleteConfiguration(tx, POSITION));
  return {
    isDry: target.isDry,
    source: source.name,
    objects: Object.fromEntries(target.brought),
    left: target.left,
    remarks: [...source.remarks, ...target.remarks, ...leftToDo(given)],
  };
}

async function leaveEarlierRuns({ source, target, since }: Import): Promise<void> {
  const day = wireTimestamp(since).slice(0, 10);
  const count = await source.earlierRunCount(since);
  target.leave(`flow runs before ${day}`, count, 'Raise --days to import them.');
}

async function importAllRuns(given: Import): Promise<void> {
  const { source, target, since, onProgress } = given;
  const total = await source.runCount(since);
  // A dry run counts all runs, including existing ones.
  const position = target.isDry ? undefined : await positionOf(given);
  let done = 0;
  for await (const batch of source.runs(position ?? since, target.clock.now(), target.isDry)) {
    const last = batch.runs.at(-1);
    if (last) onProgress(`runs of ${String(last['expected_start_time']).slice(0, 10)}, ${done} of ${total}`);
    await importRuns(given, batch);
    done += batch.runs.length;
    if (!last || target.isDry) continue;
    const from = parseDateTime(String(last['expected_start_time']));
    const text = jsonTextOf({ source: source.name, since, from });
    await target.transaction((tx) => putConfiguration(tx, POSITION, text));
  }
}

/** The expected start up to which an interrupted import of the same source has imported all runs. */
async function positionOf({ source, target, since }: Import): Promise<Timestamp | undefined> {
  const stored = await findConfiguration(target.db, POSITION);
  if (stored === undefined) return undefined;
  const position = parseObject(stored);
  const from = parseDateTime(String(position['from']));
  return position['source'] === source.name && String(position['since']) <= since && from && from > since
    ? from
    : undefined;
}
