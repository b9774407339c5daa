/**
 * Every stored time that blocks a person or a task until it comes, with the latest value that it can have. A wall clock
 * may jump ahead and back (a wrong clock at boot, corrected by NTP); this list lets the server lower the times that
 * were written in between. The limits of attempts and of requests per minute check their own bounds
 * (rates/attempts.ts, rates/windows.ts).
 */
import { sql } from 'kysely';
import type { LatestTime } from '../database/schema/lower-times.ts';
import type { TableName } from '../database/tables/tables.ts';
import { CLAIM_SECONDS as RENEWAL_SECONDS } from '../mcp/credentials/held-credential.ts';
import { CLAIM_SECONDS as BUILD_SECONDS } from '../mcp/hosting/builds/builds.ts';
import { LEASE_SECONDS as PROGRAM_SECONDS } from '../mcp/hosting/sharing/program-claims.ts';
import { LEASE_SECONDS as PLACE_SECONDS } from '../mcp/quotas/places.ts';
import { LIFETIME_SECONDS } from '../mcp/translation/ended-sessions.ts';
import { LONGEST_WAIT_SECONDS } from '../orchestration/automations/triggers/inbox.ts';
import { LONGEST_DELAY_SECONDS } from '../orchestration/bulk-work/schema.ts';
import { LOOK_AGAIN_SECONDS } from '../orchestration/deployments/scheduled-runs.ts';
import { SECONDS_UNTIL_LAST_LOOK } from '../orchestration/runs/upkeep/cancelled-runs.ts';
import { CLAIM_SECONDS as TASK_SECONDS } from '../orchestration/work/task-workers/queue.ts';
import { ONLINE_SECONDS } from '../orchestration/work/task-workers/workers.ts';
import { LEASE_SECONDS as CLEANUP_SECONDS } from '../orchestration/work/worker-channel/cleanups.ts';
import { VALID_SECONDS as DEVICE_SECONDS } from '../platform/keys/device/operations.ts';
import { CONNECTION_SECONDS, REFRESH_SECONDS } from '../platform/oauth/provider.ts';
import { VALID_SECONDS as INVITATION_SECONDS } from '../platform/people/invitations/operations.ts';
import { KNOWN_SECONDS } from '../platform/people/known-devices/operations.ts';
import { RESET_SECONDS } from '../platform/people/password-resets/operations.ts';
import { SESSION_SECONDS } from '../platform/people/sessions/operations.ts';
import { SET_UP_SECONDS } from '../platform/people/set-up/lifetime.ts';
import { ASKED_AGAIN_SECONDS } from '../platform/servers/manifest/manifests.ts';
import type { Timestamp } from '../values/time.ts';

function within<Table extends TableName>(
  table: Table,
  column: LatestTime<Table>['column'],
  seconds: number,
  where?: LatestTime['where'],
): LatestTime {
  return { table, column, latest: { seconds }, ...(where && { where }) } as LatestTime;
}

/** `since` is the time at which `column` was set, so both move together. */
function movesWith<Table extends TableName>(
  table: Table,
  column: LatestTime<Table>['column'],
  since: LatestTime<Table>['column'],
): LatestTime {
  return { table, column, latest: { since } } as LatestTime;
}

/** A deployment whose runs reach far ahead may wait that long, unless the clock that made its runs was ahead. */
const hasRunsOfTheFuture = (now: Timestamp) => sql<boolean>`exists (select 1 from flow_run
  where flow_run.workspace = deployment.workspace and flow_run.deployment_id = deployment.id and flow_run.created > ${now})`;

export const latestTimes: readonly LatestTime[] = [
  // Claims and leases, which their holders renew.
  within('server_build', 'claimed_until', BUILD_SECONDS),
  within('queued_task_run', 'claimed_until', TASK_SECONDS),
  within('worker_cleanup', 'lease_expires_at', CLEANUP_SECONDS),
  within('upstream_credential', 'renewing_until', RENEWAL_SECONDS),
  within('mcp_quota_place', 'expires_at', PLACE_SECONDS),
  within('automation_action', 'started', 0),
  within('task_worker', 'online_until', ONLINE_SECONDS),
  movesWith('worker', 'online_until', 'last_heartbeat_time'),
  movesWith('flow_run_heartbeat', 'silent_at', 'received'),
  movesWith('concurrency_lease', 'expires_at', 'created'),
  within('program_claim', 'until', PROGRAM_SECONDS),
  within('peer', 'seen', 0),
  // Times at which something is checked again.
  within('mcp_server', 'manifest_due', ASKED_AGAIN_SECONDS.last),
  within('deployment', 'schedule_due', LOOK_AGAIN_SECONDS, hasRunsOfTheFuture),
  within('bulk_work', 'starts_at', LONGEST_DELAY_SECONDS),
  within('automation_event', 'waits_until', LONGEST_WAIT_SECONDS),
  within('flow_run_cancellation', 'due', SECONDS_UNTIL_LAST_LOOK),
  within('flow_run_cancellation', 'cancelled_at', 0),
  within('deployment', 'last_polled', 0),
  within('work_queue', 'last_polled', 0),
  within('device_authorization', 'last_polled_at', 0),
  within('access_request', 'updated', 0),
  within('session', 'last_seen_at', 0),
  // Rows that occupy a place until they are deleted, and credentials that would stay valid for too long.
  within('oauth_client', 'created', 0),
  within('oauth_client', 'used_at', 0),
  within('oauth_connection', 'expires_at', CONNECTION_SECONDS),
  within('oauth_token', 'expires_at', REFRESH_SECONDS),
  within('device_authorization', 'expires_at', DEVICE_SECONDS),
  within('invitation', 'expires_at', INVITATION_SECONDS),
  within('session', 'expires_at', SESSION_SECONDS),
  within('known_device', 'expires_at', KNOWN_SECONDS),
  within('set_up_link', 'expires_at', SET_UP_SECONDS),
  within('password_reset', 'expires_at', RESET_SECONDS),
  within('mcp_ended_session', 'expires_at', LIFETIME_SECONDS),
];
