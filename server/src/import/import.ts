/**
 * Brings what a Prefect server holds into a workspace, with its ids and times, so that links and idempotency keys stay
 * true. What is here already stays as it is, so an import can be repeated; one that was interrupted goes on with the runs
 * it was at.
 */
import { deleteConfiguration, findConfiguration, putConfiguration } from '../database/configuration.ts';
import { jsonTextOf, parseObject } from '../json.ts';
import { parseDateTime } from '../schema/parse-datetime.ts';
import type { Timestamp } from '../time.ts';
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
import { importArtifacts, importEvents } from './records.ts';
import { importBackgroundTaskRuns, importRuns } from './runs.ts';
import type { Import } from './step.ts';
import type { Brought } from './target.ts';

export type { Import } from './step.ts';

/** A step may refer to objects of the steps before it, and to no others. */
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

/** Where an interrupted import was. */
const POSITION = 'import';

export interface Report {
  readonly objects: Readonly<Record<string, Brought>>;
  readonly remarks: readonly string[];
}

/** Throws ConfigError when the source cannot be read. What was brought before stays. */
export async function runImport(given: Import): Promise<Report> {
  const { target, onProgress } = given;
  for (const [what, bring] of definitions) {
    onProgress(what);
    await bring(given);
  }
  await importAllRuns(given);
  onProgress('background task runs');
  await importBackgroundTaskRuns(given);
  await importEvents(given);
  await target.transaction((tx) => deleteConfiguration(tx, POSITION));
  return { objects: Object.fromEntries(target.brought), remarks: [...target.remarks, ...leftToDo(given)] };
}

async function importAllRuns(given: Import): Promise<void> {
  const { source, target, since, onProgress } = given;
  const total = await source.runCount(since);
  const position = await positionOf(given);
  let done = 0;
  for await (const batch of source.runs(position ?? since, target.clock.now())) {
    const last = batch.runs.at(-1);
    if (last) onProgress(`runs of ${String(last['expected_start_time']).slice(0, 10)}, ${done} of ${total}`);
    await importRuns(given, batch);
    done += batch.runs.length + batch.waiting;
    if (!last) continue;
    const from = parseDateTime(String(last['expected_start_time']));
    const text = jsonTextOf({ source: source.name, since, from });
    await target.transaction((tx) => putConfiguration(tx, POSITION, text));
  }
}

/** The expected start up to which an interrupted import of the same source has brought all runs. */
async function positionOf({ source, target, since }: Import): Promise<Timestamp | undefined> {
  const stored = await findConfiguration(target.db, POSITION);
  if (stored === undefined) return undefined;
  const position = parseObject(stored);
  const from = parseDateTime(String(position['from']));
  return position['source'] === source.name && String(position['since']) <= since && from && from > since
    ? from
    : undefined;
}

function leftToDo({ target }: Import): string[] {
  const { inactiveSchedules, disabledAutomations, waitingRuns } = target;
  const again = 'Stop them in the source, then run the import again with --activate.';
  return [
    ...(inactiveSchedules > 0 ? [`${inactiveSchedules} active schedules arrived inactive. ${again}`] : []),
    ...(disabledAutomations > 0 ? [`${disabledAutomations} enabled automations arrived disabled. ${again}`] : []),
    ...(waitingRuns > 0 ? [`${waitingRuns} runs that have not begun stay in the source.`] : []),
  ];
}
