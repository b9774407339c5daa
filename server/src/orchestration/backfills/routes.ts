import type { Context } from '../../context/context.ts';
import type { Db } from '../../database/store.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { partOf } from '../filters/pagination.ts';
import { planDates } from './dates.ts';
import { cancelBackfill, createBackfill, missingBackfill, pauseBackfill, resumeBackfill } from './operations.ts';
import { type BackfillRow, backfills, listBackfills, listDates, nameOfDeployment, progressOf } from './queries.ts';
import {
  Backfill,
  BackfillCreate,
  BackfillDate,
  BackfillPlan,
  BackfillPlanBody,
  backfillBodies,
  datesQuery,
} from './schema.ts';

const { get, search, post } = routesOf('Backfills', 'deployments');

const changes = [
  {
    name: 'pause',
    change: pauseBackfill,
    summary: 'Pause a backfill',
    description:
      'Stops the creation of runs; existing runs continue. 404 when there is none, 409 unless it is RUNNING.',
  },
  {
    name: 'resume',
    change: resumeBackfill,
    summary: 'Resume a backfill',
    description: 'Continues to create runs for the dates without one. 404 when there is none, 409 unless it is PAUSED.',
  },
  {
    name: 'cancel',
    change: cancelBackfill,
    summary: 'Cancel a backfill',
    description:
      'Stops the creation of runs and cancels the unfinished ones. 404 when there is none, 409 when it has ended.',
  },
] as const;

/** These routes are additions to the reference. */
export const backfillRoutes: readonly Route[] = [
  search('/backfills/plan', 'plan_backfill_backfills_plan_post', {
    summary: 'Read the dates of a backfill without creating it',
    description:
      'The number of runs and their dates, ascending. 404 for a deployment or schedule that does not exist, 422 for a range that ends in the future, has no date, or has more than 1000 dates.',
    body: BackfillPlanBody,
    answers: BackfillPlan,
    handler: async ({ context, body }) => {
      const { dates } = await planDates(context, context.db, body);
      return { count: dates.length, dates };
    },
  }),
  post('/backfills/', 'create_backfill_backfills__post', {
    summary: 'Create a backfill',
    description:
      'Creates runs of a deployment for the dates of a schedule in a past range. The service `backfills` creates them from the oldest on, with at most `max_unfinished` unfinished runs at a time. The date of a run is its expected start, its label `prefect.backfill.date` and the value of `parameter`, if given. 404 and 422 as for the plan.',
    permission: 'flow_runs:write',
    provenance: true,
    body: BackfillCreate,
    bodySize: 'large',
    answers: [201, Backfill],
    handler: async ({ context, body }) => answer(context, await createBackfill(context, body)),
  }),
  search('/backfills/filter', 'read_backfills_backfills_filter_post', {
    summary: 'List backfills',
    description:
      'One page of backfills with their progress, newest first. `deployment_id` selects one deployment. `limit` is at most the largest page of this server.',
    body: backfillBodies.filter,
    answers: Type.Array(Backfill),
    handler: async ({ context, body }) => {
      const rows = await listBackfills(context.db, body.deployment_id, partOf(context, body));
      const answers = [];
      for (const row of rows) answers.push(await withProgress(context.db, row));
      return answers;
    },
  }),
  get('/backfills/{id}', 'read_backfill_backfills__id__get', {
    summary: 'Read a backfill',
    description: 'One backfill with the number of its runs in each kind of state. 404 when there is none.',
    answers: Backfill,
    handler: ({ context, path }) => answer(context, path.id),
  }),
  get('/backfills/{id}/dates', 'read_backfill_dates_backfills__id__dates_get', {
    summary: 'List the dates of a backfill',
    description:
      'One page of dates with their runs, oldest first. `limit` is at most the largest page of this server. 404 when there is no such backfill.',
    permission: 'flow_runs:read',
    query: datesQuery,
    answers: Type.Array(BackfillDate),
    handler: async ({ context, path, query }) => {
      const { id } = (await backfills.first(context.db, path)) ?? missingBackfill();
      return context.db.all(listDates, { backfill_id: id, ...partOf(context, query) });
    },
  }),
  ...changes.map(({ name, change, summary, description }) =>
    post(`/backfills/{id}/${name}`, `${name}_backfill_backfills__id__${name}_post`, {
      summary,
      description,
      permission: 'flow_runs:write',
      answers: Backfill,
      handler: async ({ context, path }) => {
        await change(context, path.id);
        return answer(context, path.id);
      },
    }),
  ),
];

async function answer({ db }: Context, id: string) {
  return withProgress(db, (await backfills.first(db, { id })) ?? missingBackfill());
}

async function withProgress(db: Db, backfill: BackfillRow) {
  const [progress, deployment_name] = await Promise.all([
    progressOf(db, backfill.id),
    nameOfDeployment(db, backfill.deployment_id),
  ]);
  return { ...backfill, ...progress, deployment_name };
}
