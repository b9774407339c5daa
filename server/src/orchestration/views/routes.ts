/**
 * The screens of the dashboard, each in one answer. They show nothing that the other routes would refuse: every view
 * requires the permission to read its content.
 */
import type { Context } from '../../context.ts';
import { NotFound } from '../../errors.ts';
import { REFERENCE_VERSION } from '../../http/api-version.ts';
import { EventStream, ok, type Route, route } from '../../http/route.ts';
import { sessionCookie } from '../../http/session-cookie.ts';
import { FollowedServers } from '../../identity/server-followers.ts';
import { readSessionAccess } from '../../identity/session-access.ts';
import { described, Nullable, Shape, TextOf, Type, Uuid } from '../../schema/kinds.ts';
import { findImportMark } from '../admin/import-mark.ts';
import { readArtifactPage } from './artifacts.ts';
import { ArtifactsView, ArtifactsViewBody } from './artifacts-schema.ts';
import { readAutomationsView, readAutomationView } from './automations.ts';
import { AutomationsView, AutomationView, automationsQuery } from './automations-schema.ts';
import { readBlockUses } from './block-uses.ts';
import { BlockUses } from './block-uses-schema.ts';
import { readLimitsView, readLimitView } from './concurrency.ts';
import { LimitRow, LimitsView, limitsQuery } from './concurrency-schema.ts';
import { dryRun } from './dry-run.ts';
import { DryRunBody, DryRunView } from './dry-run-schema.ts';
import { readFlowRunView } from './flow-run.ts';
import { FlowRunView, TimelineView, timelineQuery } from './flow-run-schema.ts';
import { readHomeView } from './home.ts';
import { HomeView, homeQuery } from './home-schema.ts';
import { withIdsForNames } from './ids-for-names.ts';
import { streamChanges } from './live.ts';
import { readRunPage, readRunSums } from './runs.ts';
import { RunsView, RunsViewBody } from './runs-schema.ts';
import { search } from './search.ts';
import { SearchHit } from './search-schema.ts';
import { readSettingsView } from './settings.ts';
import { SettingsView } from './settings-schema.ts';
import { readTaskRunView } from './task-run.ts';
import { TaskRunView } from './task-run-schema.ts';
import { readTimeline } from './timeline.ts';

const tags = ['Views'];

const ImportMark = Shape('ImportMark', { id: Nullable(Uuid()) }, 'ignore');

/** Beyond the reference. */
export const viewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/views/home',
    operationId: 'read_home_view_views_home_get',
    summary: 'Read what needs attention',
    description:
      'Failures by their cause, runs that wait and why, runs over time and the runs that come next. `seconds` says how far back it looks.',
    tags,
    permission: 'flow_runs:read',
    query: homeQuery,
    responses: { 200: HomeView },
    handler: async ({ context, query }) => ok(await readHomeView(context, query.seconds)),
  }),
  route({
    method: 'POST',
    path: '/views/runs',
    operationId: 'read_runs_view_views_runs_post',
    summary: 'Read a page of runs with its sums',
    description:
      'One page of the flow runs that match the filters, in the order of `sort`, with names in place of ids. `after` is the `next` of the page before. With `history` the answer also counts all matching runs, by interval and state.',
    tags,
    permission: 'flow_runs:read',
    body: RunsViewBody,
    responses: { 200: RunsView },
    async handler({ context, body }) {
      const { sort, limit, after, history, ...asked } = body;
      const filters = await withIdsForNames(context.db, asked);
      const [page, sums] = await Promise.all([
        readRunPage(context, filters, { sort, limit, after }),
        history ? readRunSums(context, filters, history) : { count: null, history: null, counted_since: null },
      ]);
      return ok({ ...page, ...sums });
    },
  }),
  route({
    method: 'GET',
    path: '/views/flow_runs/{id}',
    operationId: 'read_flow_run_view_views_flow_runs__id__get',
    summary: 'Read a flow run with its causes',
    description:
      'A run with the names around it, its states, its task runs by state, why it failed or does not start, and how it differs from the last successful one. 404 when there is no such run.',
    tags,
    permission: 'flow_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: FlowRunView },
    handler: async ({ context, path }) => ok((await readFlowRunView(context, path.id)) ?? missingRun()),
  }),
  route({
    method: 'GET',
    path: '/views/flow_runs/{id}/timeline',
    operationId: 'read_timeline_view_views_flow_runs__id__timeline_get',
    summary: 'Read the timeline of a flow run',
    description:
      'The first 10,000 task runs of a run, in the order of their start, as columns; subflows in place of the tasks that stand for them. With `givers` also whose results each of them takes. 404 when there is no such run.',
    tags,
    permission: 'task_runs:read',
    parameters: { id: 'uuid' },
    query: timelineQuery,
    responses: { 200: TimelineView },
    handler: async ({ context, path, query }) =>
      ok((await readTimeline(context, path.id, query.givers)) ?? missingRun()),
  }),
  route({
    method: 'GET',
    path: '/views/task_runs/{id}',
    operationId: 'read_task_run_view_views_task_runs__id__get',
    summary: 'Read a task run with its causes and inputs',
    description:
      'A task run with its flow run, its states, why it failed, the runs whose results it takes and those that take its own. 404 when there is no such task run.',
    tags,
    permission: 'task_runs:read',
    parameters: { id: 'uuid' },
    responses: { 200: TaskRunView },
    handler: async ({ context, path }) => ok((await readTaskRunView(context, path.id)) ?? missing('Task run')),
  }),
  route({
    method: 'POST',
    path: '/views/artifacts',
    operationId: 'read_artifacts_view_views_artifacts_post',
    summary: 'Read a page of artifacts',
    description:
      'The newest artifact of each key, or every version of one key or run, newest first, with the names of runs and without data. `after` is the `next` of the page before.',
    tags,
    permission: 'artifacts:read',
    body: ArtifactsViewBody,
    responses: { 200: ArtifactsView },
    handler: async ({ context, body }) => ok(await readArtifactPage(context, body)),
  }),
  route({
    method: 'GET',
    path: '/views/search',
    operationId: 'search_views_search_get',
    summary: 'Find objects by name or id',
    description:
      'Flows, deployments, pools, automations, variables, blocks and concurrency limits whose name contains `q`, runs whose name begins with it, or whatever has it as its id. At most five of each kind.',
    tags,
    permission: 'flow_runs:read',
    query: Type.Object({ q: described(Type.String({ minLength: 1, maxLength: 200 }), 'A part of a name, or an id.') }),
    responses: { 200: Type.Array(SearchHit) },
    handler: async ({ context, query }) => ok(await search(context.db, query.q)),
  }),
  route({
    method: 'GET',
    path: '/views/concurrency_limits',
    operationId: 'read_concurrency_view_views_concurrency_limits_get',
    summary: 'Read concurrency limits with their holders',
    description:
      'One page of up to 200 limits by name: how many slots are taken, who holds them and which runs wait for one. `offset` is the `next` of the page before.',
    tags,
    permission: 'concurrency_limits:read',
    query: limitsQuery,
    responses: { 200: LimitsView },
    handler: async ({ context, query }) => ok(await readLimitsView(context, query.offset)),
  }),
  route({
    method: 'GET',
    path: '/views/concurrency_limits/{id}',
    operationId: 'read_concurrency_limit_view_views_concurrency_limits__id__get',
    summary: 'Read a concurrency limit with its holders',
    description: 'One limit as in the list, with up to 200 holders and waiters. 404 when there is none.',
    tags,
    permission: 'concurrency_limits:read',
    parameters: { id: 'uuid' },
    responses: { 200: LimitRow },
    handler: async ({ context, path }) => ok((await readLimitView(context, path.id)) ?? missing('Concurrency limit')),
  }),
  route({
    method: 'GET',
    path: '/views/automations',
    operationId: 'read_automations_view_views_automations_get',
    summary: 'Read automations with their firings',
    description:
      'One page of up to 200 automations by name: when each last fired, how often in the past week, what failed, and the names of the objects that they mention. `offset` is the `next` of the page before.',
    tags,
    permission: 'automations:read',
    query: automationsQuery,
    responses: { 200: AutomationsView },
    handler: async ({ context, query }) => ok(await readAutomationsView(context, query.offset)),
  }),
  route({
    method: 'GET',
    path: '/views/automations/{id}',
    operationId: 'read_automation_view_views_automations__id__get',
    summary: 'Read an automation with its firings',
    description: 'One automation as in the list. 404 when there is none.',
    tags,
    permission: 'automations:read',
    parameters: { id: 'uuid' },
    responses: { 200: AutomationView },
    handler: async ({ context, path }) => ok((await readAutomationView(context, path.id)) ?? missing('Automation')),
  }),
  route({
    method: 'POST',
    path: '/views/automations/dry_run',
    operationId: 'dry_run_automation_views_automations_dry_run_post',
    summary: 'Try a trigger on stored events',
    description:
      'Counts the stored events that a trigger would have matched and how often it would have fired, as if it had been there from `since` on. It runs no action. It looks at up to 20,000 events.',
    tags,
    permission: 'events:read',
    body: DryRunBody,
    responses: { 200: DryRunView },
    handler: async ({ context, body: { trigger, since, until } }) =>
      ok(await dryRun(context, trigger, since, until ?? context.now)),
  }),
  route({
    method: 'GET',
    path: '/views/block_documents/{id}/uses',
    operationId: 'read_block_uses_views_block_documents__id__uses_get',
    summary: 'Read where a block is used',
    description:
      'The blocks, automations, deployments and work pools that mention a block document by its id. Programs that load it by its name are not known.',
    tags,
    permission: 'blocks:read',
    parameters: { id: 'uuid' },
    responses: { 200: BlockUses },
    handler: async ({ context, path }) => ok(await readBlockUses(context, path.id)),
  }),
  route({
    method: 'GET',
    path: '/views/settings',
    operationId: 'read_settings_view_views_settings_get',
    summary: 'Read what the server keeps and how long',
    description:
      'The version, the kind of database, the retention of each kind of object, the limits of requests and the block that keeps results. It names no secret.',
    tags,
    permission: 'settings:read',
    responses: { 200: SettingsView },
    handler: async ({ context }) => ok({ ...(await readSettingsView(context)), reference_version: REFERENCE_VERSION }),
  }),
  route({
    method: 'GET',
    path: '/views/import',
    operationId: 'read_import_view_views_import_get',
    summary: 'Read the mark of an import that begins',
    description:
      'While an import checks that its source is not its target, the mark that it has set in its target; null otherwise. An import that reads its own mark from its source is refused.',
    tags,
    permission: 'flow_runs:read',
    responses: { 200: ImportMark },
    handler: async ({ context }) => ok({ id: await findImportMark(context.db) }),
  }),
  route({
    method: 'GET',
    path: '/views/live',
    operationId: 'stream_changes_views_live_get',
    summary: 'Follow what changes in the workspace',
    description:
      'A stream of server-sent events. Each message is a JSON array of `{"type", "id"?, "flow_run_id"?}`: which objects have changed, not how. Callers who edit MCP servers are also told about `server_request`, `server_output`, `server_build`, `mcp_server` and `access_request`, with the id of the server. `resync` means that more has changed than was told. 429 when the caller has too many streams, 503 when the workspace has.',
    tags,
    permission: 'events:read',
    anyApiVersion: true,
    responses: { 200: TextOf('text/event-stream', Type.Object({ data: Type.String() })) },
    handler({ context, headers }) {
      const followed = new FollowedServers(context.server, () => findReader(context, sessionCookie(headers)));
      return ok(new EventStream((sink) => streamChanges(context, followed, sink)));
    },
  }),
];

/** Whom the stream tells about MCP servers. In open mode nobody needs to sign in, but those who did have their roles. */
async function findReader({ actor, server, workspace }: Context, cookie: string | undefined) {
  if (actor || cookie === undefined) return actor;
  return (await readSessionAccess(server.store, cookie, { key: workspace }, server.clock.now())).actor;
}

function missingRun(): never {
  return missing('Flow run');
}

function missing(what: string): never {
  throw new NotFound(`${what} not found`);
}
