/** Writes the schedules of a deployment: one by one, and as a part of the deployment. */
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { found, IntegrityConflict, notFound, Unprocessable } from '../../errors.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, parseJson } from '../../values/json.ts';
import { addMicroseconds, type Timestamp } from '../../values/time.ts';
import { hasDeployment } from './queries.ts';
import { askForRunsAhead, deleteAutoScheduledRuns, remakeRunsAhead } from './runs-ahead.ts';
import { listSchedules, type ScheduleRow, schedules } from './schedules/queries.ts';
import type { DeploymentScheduleCreate, DeploymentScheduleUpdate, ScheduleInput } from './schedules/schema.ts';
import { storedSchedule } from './schedules/stored-schedule.ts';

const MISSING = 'Schedule not found.';

/** Adds schedules; returns them in the order they were given. Throws NotFound, IntegrityConflict for a slug in use. */
export function createSchedules(
  context: Context,
  deploymentId: string,
  given: readonly DeploymentScheduleCreate[],
): Promise<ScheduleRow[]> {
  return context.transaction(async (tx) => {
    await requireDeployment(tx, deploymentId);
    const rows = await insertSchedules(context, tx, deploymentId, given);
    await askForRunsAhead(context, tx, deploymentId);
    return rows;
  });
}

/** Changes the given fields that are not null. Throws NotFound, IntegrityConflict for a slug in use. */
export function updateSchedule(
  context: Context,
  deploymentId: string,
  id: string,
  given: DeploymentScheduleUpdate,
): Promise<void> {
  return context.transaction(async (tx) => {
    await requireDeployment(tx, deploymentId);
    const paused = typeof given.active === 'boolean' ? !given.active : undefined;
    const change = { ...changeOf(given, context.now), paused, updated: context.now };
    found(await schedules.change(tx, { deployment_id: deploymentId, id }, change), MISSING);
    await remakeRunsAhead(context, tx, deploymentId);
  });
}

/**
 * Deletes a schedule and every run of the deployment that the scheduler created and that has not started, including
 * overdue ones. Future runs of the other schedules are recreated. Throws NotFound.
 */
export function deleteSchedule(context: Context, deploymentId: string, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    await requireDeployment(tx, deploymentId);
    found(await schedules.remove(tx, { deployment_id: deploymentId, id }), MISSING);
    await deleteAutoScheduledRuns(tx, deploymentId);
    await askForRunsAhead(context, tx, deploymentId);
  });
}

/** Locks the deployment against other changes, and against the scheduler, until the transaction ends. */
async function requireDeployment(tx: Tx, id: string): Promise<void> {
  await tx.lock('deployment', id);
  if (!(await hasDeployment(tx, id))) notFound('Deployment not found.');
}

/** Deletes all stored schedules and inserts those given, with new ids. A schedule that a person paused stays paused. */
export async function replaceSchedules(
  context: Context,
  tx: Tx,
  deploymentId: string,
  given: readonly (DeploymentScheduleCreate | DeploymentScheduleUpdate)[],
): Promise<void> {
  const paused = (await tx.all(listSchedules, { deployment_id: deploymentId })).filter((stored) => stored.paused);
  await schedules.removeAll(tx, { deployment_id: deploymentId });
  // A schedule without a series is omitted, as in the reference.
  await insertSchedules(context, tx, deploymentId, given.filter(hasSeries), paused);
}

/** Compares two schedules by slug, or else by series. */
function isSame(one: ScheduleRow, other: ScheduleRow): boolean {
  if (one.slug !== null || other.slug !== null) return one.slug === other.slug;
  return isDeepStrictEqual(parseJson(one.schedule), parseJson(other.schedule));
}

type Complete = (DeploymentScheduleCreate | DeploymentScheduleUpdate) & { readonly schedule: ScheduleInput };

function hasSeries(given: DeploymentScheduleCreate | DeploymentScheduleUpdate): given is Complete {
  return given.schedule !== undefined && given.schedule !== null;
}

async function insertSchedules(
  context: Context,
  tx: Tx,
  deployment_id: string,
  given: readonly Complete[],
  paused: readonly ScheduleRow[] = [],
): Promise<ScheduleRow[]> {
  const added = given.map((schedule, index): ScheduleRow => {
    // Lists are ordered by `updated`, so no two schedules may have the same time.
    const now = addMicroseconds(context.now, index);
    return {
      workspace: context.workspace,
      id: newId(),
      created: now,
      updated: now,
      deployment_id,
      schedule: storedSchedule(schedule.schedule, context.now),
      active: schedule.active ?? true,
      max_scheduled_runs: schedule.max_scheduled_runs ?? null,
      parameters: schedule.parameters ?? ('{}' as JsonText),
      slug: schedule.slug ?? null,
      paused: null,
    };
  });
  const stays = (row: ScheduleRow) => paused.some((stored) => isSame(stored, row));
  const rows = added.map((row) => (stays(row) ? { ...row, active: false, paused: true } : row));
  for (const row of rows) if (!(await schedules.insertUnlessThere(tx, row))) throw new IntegrityConflict();
  return rows;
}

/**
 * Applies the schedules of a deployment's `PATCH`. When every stored schedule has a slug, the slug identifies
 * schedules: the given ones are changed or added, and the others stay. Otherwise all are replaced, and an empty list
 * leaves none, as in later versions of the Prefect server; a schedule that a person paused stays paused. Throws
 * Unprocessable. Source: `PATCH /deployments/{id}` of the Prefect server 3.9.1.
 */
export async function mergeSchedules(
  context: Context,
  tx: Tx,
  deploymentId: string,
  given: readonly DeploymentScheduleUpdate[],
): Promise<void> {
  const stored = await tx.all(listSchedules, { deployment_id: deploymentId });
  if (stored.length === 0 || given.length === 0 || stored.some(({ slug }) => slug === null)) {
    await replaceSchedules(context, tx, deploymentId, given);
    return;
  }
  if (given.some(({ slug }) => slug === undefined || slug === null)) {
    throw new Unprocessable(
      'Please provide a slug for each schedule in your request to ensure schedules are updated correctly.',
    );
  }
  const bySlug = new Map(stored.map((row) => [row.slug ?? '', row]));
  const renamed = renamedSlugs(given, bySlug);
  const changes: [ScheduleRow, DeploymentScheduleUpdate][] = [];
  const additions: Complete[] = [];
  for (const schedule of given) {
    const source = renamed.has(schedule.replaces ?? '') ? schedule.replaces : schedule.slug;
    const row = bySlug.get(source ?? '');
    if (row) {
      // A slug that was given up receives no other change.
      if (source === schedule.replaces || !renamed.has(source ?? '')) changes.push([row, schedule]);
    } else if (hasSeries(schedule)) {
      additions.push(schedule);
    } else {
      throw new Unprocessable('Unable to create new deployment schedules without a schedule configuration.');
    }
  }
  // Slugs are freed first, so that two schedules can change theirs.
  for (const slug of renamed) {
    const row = bySlug.get(slug);
    if (row) await change(tx, row, { slug: null, updated: context.now });
  }
  for (const [index, [row, schedule]] of changes.entries()) {
    const updated = addMicroseconds(context.now, index);
    const { active, ...others } = changeOf(schedule, context.now);
    await change(tx, row, { ...others, active: row.paused ? undefined : active, updated });
  }
  await insertSchedules(context, tx, deploymentId, additions);
}

/** The stored slugs that another slug replaces. */
function renamedSlugs(
  given: readonly DeploymentScheduleUpdate[],
  bySlug: ReadonlyMap<string, ScheduleRow>,
): ReadonlySet<string> {
  const targets = given.flatMap(({ slug, replaces }) => (replaces ? [{ slug: slug ?? '', replaces }] : []));
  const renamed = new Set<string>();
  const seen = new Set<string>();
  for (const { slug, replaces } of targets) {
    if (seen.has(replaces)) {
      throw new Unprocessable(`Multiple schedules have 'replaces' targeting the same slug: ${replaces}`);
    }
    seen.add(replaces);
    if (slug !== replaces && bySlug.has(replaces)) renamed.add(replaces);
  }
  for (const { slug, replaces } of targets) {
    if (renamed.has(replaces) && bySlug.has(slug) && !renamed.has(slug)) {
      throw new Unprocessable(
        `Cannot rename schedule from '${replaces}' to '${slug}': a schedule with slug '${slug}' already exists.`,
      );
    }
  }
  return renamed;
}

async function change(tx: Tx, { deployment_id, id }: ScheduleRow, part: Partial<ScheduleRow>): Promise<void> {
  await schedules.changeAll(tx, { deployment_id, id }, part);
}

/** A null keeps the stored value. */
function changeOf(given: DeploymentScheduleUpdate, now: Timestamp): Partial<ScheduleRow> {
  const { active, schedule, max_scheduled_runs, parameters, slug } = given;
  return {
    active: active ?? undefined,
    schedule: schedule ? storedSchedule(schedule, now) : undefined,
    max_scheduled_runs: max_scheduled_runs ?? undefined,
    parameters,
    slug: slug ?? undefined,
  };
}
