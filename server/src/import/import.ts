/**
 * Brings what a Prefect server holds into a workspace, with its ids and times, so that links and idempotency keys stay
 * true. What is here already stays as it is, so an import can be repeated; one that was interrupted goes on with the day
 * of runs it was at.
 */
import { deleteConfiguration, findConfiguration, putConfiguration } from '../database/configuration.ts';
import { jsonTextOf, parseObject } from '../json.ts';
import { parseDateTime } from '../schema/parse-datetime.ts';
import { type Timestamp, wireTimestamp } from '../time.ts';
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
import { importBackgroundTaskRuns, importRunsOfDay } from './runs.ts';
import type { Source } from './source.ts';
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
  await importRuns(given);
  onProgress('background task runs');
  await importBackgroundTaskRuns(given);
  await importEvents(given);
  await target.transaction((tx) => deleteConfiguration(tx, POSITION));
  return { objects: Object.fromEntries(target.brought), remarks: [...target.remarks, ...leftToDo(given)] };
}

async function importRuns(given: Import): Promise<void> {
  const { source, target, since, onProgress } = given;
  const end = target.clock.now();
  let from = (await positionOf(given)) ?? (await firstStartOf(source, since)) ?? end;
  while (from < end) {
    onProgress(`runs of ${from.slice(0, 10)}`);
    from = await importRunsOfDay(given, from, end);
    const position = jsonTextOf({ url: source.url, since, from });
    await target.transaction((tx) => putConfiguration(tx, POSITION, position));
  }
}

/** The first expected start of a run since then; undefined when there is none. */
async function firstStartOf(source: Source, since: Timestamp): Promise<Timestamp | undefined> {
  const flow_runs = { expected_start_time: { after_: wireTimestamp(since) } };
  const [first] = await source.list('/flow_runs/filter', { flow_runs, sort: 'EXPECTED_START_TIME_ASC', limit: 1 });
  return parseDateTime(String(first?.['expected_start_time']));
}

/** The time up to which an interrupted import of the same source has brought all runs. */
async function positionOf({ source, target, since }: Import): Promise<Timestamp | undefined> {
  const stored = await findConfiguration(target.db, POSITION);
  if (stored === undefined) return undefined;
  const position = parseObject(stored);
  const from = parseDateTime(String(position['from']));
  return position['url'] === source.url && String(position['since']) <= since && from && from > since
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

/** The routes that count what an import would read, with the bodies they take. */
function counts(since: Timestamp): readonly [string, string, object][] {
  const window = { expected_start_time: { after_: wireTimestamp(since) } };
  return [
    ['variables', '/variables/count', {}],
    ['block documents', '/block_documents/count', {}],
    ['work pools', '/work_pools/count', {}],
    ['flows', '/flows/count', {}],
    ['deployments', '/deployments/count', {}],
    ['automations', '/automations/count', {}],
    ['artifacts', '/artifacts/count', {}],
    ['flow runs', '/flow_runs/count', { flow_runs: window }],
    ['task runs', '/task_runs/count', { task_runs: window }],
  ];
}

/** Counts in the source, and changes nothing. */
export async function previewImport(source: Source, since: Timestamp): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [what, path, body] of counts(since)) found[what] = await source.count(path, body);
  return found;
}
