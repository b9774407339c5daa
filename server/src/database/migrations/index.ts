import { identity } from './0001-identity.ts';
import { orchestration } from './0002-orchestration.ts';
import { eventsAndAutomations } from './0003-events.ts';
import { gateway } from './0004-gateway.ts';
import { hosting } from './0005-hosting.ts';
import { oauth } from './0006-oauth.ts';
import { remix } from './0007-remix.ts';
import { endedSessions } from './0008-ended-sessions.ts';
import { upstreamCredentials } from './0009-upstream-credentials.ts';
import { endedMcpSessions } from './0010-ended-mcp-sessions.ts';
import { clientShares } from './0011-client-shares.ts';
import { heldEvents } from './0012-held-events.ts';
import { pausedSchedules } from './0013-paused-schedules.ts';
import { passwordResets } from './0014-password-resets.ts';
import { keyExpiry } from './0015-key-expiry.ts';
import { keyWarnings } from './0016-key-warnings.ts';
import { rates } from './0017-rates.ts';
import { accessFacts } from './0018-access-facts.ts';
import { announcements } from './0019-announcements.ts';
import { peers } from './0020-peers.ts';
import { cheaperTriggers } from './0021-cheaper-triggers.ts';
import { partitions } from './0022-partitions.ts';
import { bulkWork } from './0023-bulk-work.ts';
import { requestFailures } from './0024-request-failures.ts';
import { logWords } from './0025-log-words.ts';
import { failureCauses } from './0027-failure-causes.ts';
import type { Migration } from './migration.ts';

/**
 * Every change of the schema, oldest first: the initial schema of each domain, then the later changes. A released one
 * never changes; a new change is a new file at the end.
 */
export const migrations: readonly Migration[] = [
  identity,
  orchestration,
  eventsAndAutomations,
  gateway,
  hosting,
  oauth,
  remix,
  endedSessions,
  upstreamCredentials,
  endedMcpSessions,
  clientShares,
  heldEvents,
  pausedSchedules,
  passwordResets,
  keyExpiry,
  keyWarnings,
  rates,
  accessFacts,
  announcements,
  peers,
  cheaperTriggers,
  partitions,
  bulkWork,
  requestFailures,
  logWords,
  failureCauses,
];

/** The first migration of databases from before the first release, whose schema had another history. */
export const BEFORE_FIRST_RELEASE = '0001-workspaces';
