/**
 * The screens of the dashboard, each in one answer. They show only facts that the other routes would show: every view
 * requires the permission to read its content.
 */
import type { Context } from '../../context/context.ts';
import { FieldValues } from '../../database/lists/where-schema.ts';
import { found } from '../../errors.ts';
import { REFERENCE_VERSION } from '../../http/request/api-version.ts';
import { bounds, fileOf } from '../../http/routes/file.ts';
import { EventStream, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { sessionCookie } from '../../http/session/session-cookie.ts';
import { FollowedServers } from '../../identity/access/server-followers.ts';
import { readSessionAccess } from '../../identity/access/session-access.ts';
import { described, Json, Nullable, Shape, TextOf, Type, Uuid } from '../../schema/kinds.ts';
import { findImportMark } from '../admin/import-mark.ts';
import { MISSING } from '../runs/rows/flow-runs.ts';
import { readArtifactPage } from './artifacts.ts';
import { ArtifactsView, ArtifactsViewBody } from './artifacts-schema.ts';
import { readAutomationsView, readAutomationView } from './automations/automations.ts';
import { AutomationsView, AutomationView, automationsQuery } from './automations/automations-schema.ts';
import { dryRun } from './automations/dry-run.ts';
import { DryRunBody, DryRunView } from './automations/dry-run-schema.ts';
import { readBlockUses } from './block-uses.ts';
import { BlockUses } from './block-uses-schema.ts';
import { readLimitsView, readLimitView } from './concurrency.ts';
import { LimitRow, LimitsView, limitsQuery } from './concurrency-schema.ts';
import { exportEvents, readEventsValues, readEventsView } from './events/events.ts';
import { EventsExportBody, EventsView, EventsViewBody, EventValuesBody } from './events/events-schema.ts';
import { exportQuery } from './files/list-export.ts';
import { readHomeView } from './home.ts';
import { HomeView, homeQuery } from './home-schema.ts';
import { streamChanges } from './live.ts';
import { readLogsView, readLogValues } from './logs/logs.ts';
import { LogsView, LogsViewBody, LogValuesBody } from './logs/logs-schema.ts';
import { readFlowRunView } from './run/flow-run.ts';
import {
  FlowRunView,
  flowRunQuery,
  RetryPlan,
  SubflowsView,
  TimelineView,
  timelineQuery,
} from './run/flow-run-schema.ts';
import { readRetryPlan } from './run/retry-plan.ts';
import { readSubflows } from './run/subflows.ts';
import { readTaskRunView } from './run/task-run.ts';
import { TaskRunView } from './run/task-run-schema.ts';
import { readTimeline } from './run/timeline.ts';
import { searchNames } from './search.ts';
import { SearchHit } from './search-schema.ts';
import { readSettingsView } from './settings.ts';
import { SettingsView } from './settings-schema.ts';

const missing = (attempt: number | undefined) =>
  attempt === undefined ? MISSING : `${MISSING}, or it has no such attempt`;

const { get, search } = routesOf('Views', 'flow_runs');

const ImportMark = Shape('ImportMark', { id: Nullable(Uuid()) }, 'ignore');

/** These routes are additions to the reference. */
export const viewRoutes: readonly Route[] = [
  get('/views/home', 'read_home_view_views_home_get', {
    summary: 'Read the overview of the workspace',
    description:
      'Failures by cause, waiting runs with their reasons, runs over time and the next runs. `seconds` is the length of the period.',
    query: homeQuery,
    answers: HomeView,
    handler: ({ context, query }) => readHomeView(context, query.seconds),
  }),
  get('/views/flow_runs/{id}', 'read_flow_run_view_views_flow_runs__id__get', {
    summary: 'Read a flow run with its causes',
    description:
      'A run with the names of its flow, its deployment and its parent run, its states, its task runs by state, the reasons of a failure or wait, its attempts, and the differences from the last successful run. 404 when there is no such run, or no such attempt.',
    query: flowRunQuery,
    answers: FlowRunView,
    handler: async ({ context, path, query }) =>
      found(await readFlowRunView(context, path.id, query.attempt), missing(query.attempt)),
  }),
  get('/views/flow_runs/{id}/subflows', 'read_subflows_view_views_flow_runs__id__subflows_get', {
    summary: 'List the subflow runs of a flow run',
    description:
      'The subflow runs of a run, those of its subflows, and so on: at most 200, with the names of their flows. 404 when there is no such run.',
    answers: SubflowsView,
    handler: async ({ context, path }) => found(await readSubflows(context.db, path.id), MISSING),
  }),
  get('/views/flow_runs/{id}/retry', 'read_retry_plan_views_flow_runs__id__retry_get', {
    summary: 'List the tasks that a retry repeats',
    description:
      'The tasks of the latest attempt that would run again, with the reason, and those whose results are kept. 404 when there is no such run.',
    permission: 'task_runs:read',
    answers: RetryPlan,
    handler: async ({ context, path }) => found(await readRetryPlan(context, path.id), MISSING),
  }),
  get('/views/flow_runs/{id}/timeline', 'read_timeline_view_views_flow_runs__id__timeline_get', {
    summary: 'Read the timeline of a flow run',
    description:
      'The first 10,000 task runs of a run, in the order of their start, as columns. Subflow runs replace the task runs that represent them. `givers=true` adds the runs whose results each task run uses, and `attempt` limits the answer to one attempt. 404 when there is no such run, or no such attempt.',
    permission: 'task_runs:read',
    query: timelineQuery,
    answers: TimelineView,
    handler: async ({ context, path, query }) =>
      found(await readTimeline(context, path.id, query), missing(query.attempt)),
  }),
  get('/views/task_runs/{id}', 'read_task_run_view_views_task_runs__id__get', {
    summary: 'Read a task run with its causes and inputs',
    description:
      'A task run with its flow run, its states, the reason of a failure, the runs whose results it uses and those that use its result. 404 when there is no such task run.',
    permission: 'task_runs:read',
    answers: TaskRunView,
    handler: async ({ context, path }) => found(await readTaskRunView(context, path.id), 'Task run not found'),
  }),
  search('/views/artifacts', 'read_artifacts_view_views_artifacts_post', {
    summary: 'Read a page of artifacts',
    description:
      'The newest artifact of each key, or every version of one key or run, newest first, with the names of runs and without data. `after` is the `next` of the previous page.',
    permission: 'artifacts:read',
    body: ArtifactsViewBody,
    answers: ArtifactsView,
    handler: ({ context, body }) => readArtifactPage(context, body),
  }),
  search('/views/events', 'read_events_view_views_events_post', {
    summary: 'Read a page of events with their number over time',
    description:
      'One page of the events that match all conditions, newest first. `after` is the `next` of the previous page. With `interval_seconds` the answer also counts all matching events by time.',
    permission: 'events:read',
    body: EventsViewBody,
    answers: EventsView,
    handler: ({ context, body }) => readEventsView(context, body),
  }),
  search('/views/events/export', 'export_events_views_events_export_post', {
    summary: 'Export a list of events',
    description: `Every event that the list with this filter has, newest first, as comma-separated values or as JSON lines. A cell that a spreadsheet would read as a formula begins with an apostrophe. ${bounds}`,
    permission: 'events:read',
    query: exportQuery,
    body: EventsExportBody,
    responses: { 200: Json() },
    handler: ({ context, query: { format }, body }) => fileOf('events', format, exportEvents(context, body, format)),
  }),
  search('/views/events/values', 'read_event_values_views_events_values_post', {
    summary: 'Suggest values for a filter of events',
    description:
      'The values of `field` that contain `text`, with the number of events that have them under all other filters of the list. The fields are those of `where`.',
    permission: 'events:read',
    body: EventValuesBody,
    answers: FieldValues,
    handler: ({ context, body }) => readEventsValues(context, body),
  }),
  search('/views/logs', 'read_logs_view_views_logs_post', {
    summary: 'Search log lines over all runs',
    description:
      'One page of the lines that match all conditions, newest first. Words are found over all runs, parts of words within a run, a flow or a day (422 otherwise). `after` is the `next` of the previous page.',
    permission: 'logs:read',
    body: LogsViewBody,
    answers: LogsView,
    handler: ({ context, body }) => readLogsView(context, body),
  }),
  search('/views/logs/values', 'read_log_values_views_logs_values_post', {
    summary: 'Suggest values for a filter of log lines',
    description:
      'The values of `field` that contain `text`, in the newest lines, with the number of lines that have them under all other filters of the list. The fields are those of `where`.',
    permission: 'logs:read',
    body: LogValuesBody,
    answers: FieldValues,
    handler: ({ context, body }) => readLogValues(context, body),
  }),
  get('/views/search', 'search_views_search_get', {
    summary: 'Find objects by name or id',
    description:
      'Flows, deployments, pools, automations, variables, blocks and concurrency limits whose name contains `q`, runs whose name begins with it, and any object with that id. At most five of each kind.',
    query: Type.Object({ q: described(Type.String({ minLength: 1, maxLength: 200 }), 'Part of a name, or an id.') }),
    answers: Type.Array(SearchHit),
    handler: ({ context, query }) => searchNames(context.db, query.q),
  }),
  get('/views/concurrency_limits', 'read_concurrency_view_views_concurrency_limits_get', {
    summary: 'Read concurrency limits with their holders',
    description:
      'One page of up to 200 limits by name: the slots in use, their holders and the runs that wait for a slot. `offset` is the `next` of the previous page.',
    permission: 'concurrency_limits:read',
    query: limitsQuery,
    answers: LimitsView,
    handler: ({ context, query }) => readLimitsView(context, query.offset),
  }),
  get('/views/concurrency_limits/{id}', 'read_concurrency_limit_view_views_concurrency_limits__id__get', {
    summary: 'Read a concurrency limit with its holders',
    description: 'One limit as in the list, with up to 200 holders and waiting runs. 404 when there is none.',
    permission: 'concurrency_limits:read',
    answers: LimitRow,
    handler: async ({ context, path }) => found(await readLimitView(context, path.id), 'Concurrency limit not found'),
  }),
  get('/views/automations', 'read_automations_view_views_automations_get', {
    summary: 'Read automations with their firings',
    description:
      'One page of up to 200 automations by name: the last firing, the firings and failures of the past week, and the names of the objects that they refer to. `offset` is the `next` of the previous page.',
    permission: 'automations:read',
    query: automationsQuery,
    answers: AutomationsView,
    handler: ({ context, query }) => readAutomationsView(context, query.offset),
  }),
  get('/views/automations/{id}', 'read_automation_view_views_automations__id__get', {
    summary: 'Read an automation with its firings',
    description: 'One automation as in the list. 404 when there is none.',
    permission: 'automations:read',
    answers: AutomationView,
    handler: async ({ context, path }) => found(await readAutomationView(context, path.id), 'Automation not found'),
  }),
  search('/views/automations/dry_run', 'dry_run_automation_views_automations_dry_run_post', {
    summary: 'Test a trigger with stored events',
    description:
      'Counts the stored events that a trigger would have matched and the times that it would have fired, if it had existed since `since`. No action runs. At most 20,000 events are examined.',
    permission: 'events:read',
    body: DryRunBody,
    answers: DryRunView,
    handler: ({ context, body: { trigger, since, until } }) => dryRun(context, trigger, since, until ?? context.now),
  }),
  get('/views/block_documents/{id}/uses', 'read_block_uses_views_block_documents__id__uses_get', {
    summary: 'Read the uses of a block',
    description:
      'The blocks, automations, deployments and work pools that refer to a block document by its id. The server does not know the programs that load it by its name.',
    permission: 'blocks:read',
    answers: BlockUses,
    handler: ({ context, path }) => readBlockUses(context, path.id),
  }),
  get('/views/settings', 'read_settings_view_views_settings_get', {
    summary: 'Read the limits and the retention of the server',
    description:
      'The version, the kind of database, the retention of each kind of object, the limits of requests and the block for results. It contains no secret.',
    permission: 'settings:read',
    answers: SettingsView,
    handler: async ({ context }) => ({ ...(await readSettingsView(context)), reference_version: REFERENCE_VERSION }),
  }),
  get('/views/import', 'read_import_view_views_import_get', {
    summary: 'Read the mark of an import that is starting',
    description:
      'The mark that an import sets in its target while it checks that its source is another workspace; null otherwise. The server refuses an import that reads its own mark from its source.',
    answers: ImportMark,
    handler: async ({ context }) => ({ id: await findImportMark(context.db) }),
  }),
  get('/views/live', 'stream_changes_views_live_get', {
    summary: 'Stream the changes of the workspace',
    description:
      'A stream of server-sent events. Each message is a JSON array of `{"type", "id"?, "flow_run_id"?}`, which names the changed objects but not the changes. Editors of MCP servers also get `server_request`, `server_output`, `server_build`, `mcp_server` and `access_request`, with the id of the server. `first_hour` means that the first client has called. `resync` means that the stream has left out changes. 429 when the caller has too many streams, 503 when the workspace has.',
    permission: 'events:read',
    anyApiVersion: true,
    answers: TextOf('text/event-stream', Type.Object({ data: Type.String() })),
    handler: ({ context, headers }) => {
      const followed = new FollowedServers(context.server, () => findReader(context, sessionCookie(headers)));
      return new EventStream((sink) => streamChanges(context, followed, sink));
    },
  }),
];

/**
 * The reader whose MCP servers the stream covers. In open mode no sign-in is needed, but people who signed in have
 * their roles.
 */
async function findReader({ actor, server, workspace }: Context, cookie: string | undefined) {
  if (actor || cookie === undefined) return actor;
  return (await readSessionAccess(server.store, cookie, { key: workspace }, server.clock.now())).actor;
}
