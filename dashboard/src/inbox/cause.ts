/** The causes of failures: of flow runs in the workspace, and of requests to MCP servers of the organization. */
import type { components as platformComponents } from '../api/platform.gen.ts';
import type { components } from '../api/schema.gen.ts';
import { shortMessage } from '../design/state-message.ts';
import { type StateKind, stateKind } from '../design/states.ts';

export type FlowCause = components['schemas']['FailureCause'];
type ServerCause = platformComponents['schemas']['ServerFailureCause'];
export type InboxView = platformComponents['schemas']['InboxView'];
export type Shelf = 'open' | 'muted' | 'resolved';
export type Standing = FlowCause['standing'];

/** A cause of either kind. */
export interface Cause {
  readonly id: string;
  /** The organization of the MCP server; undefined for a flow. */
  readonly org: string | undefined;
  readonly title: string;
  readonly mark: StateKind;
  readonly standing: Standing;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly count: number;
  /** UTC days with their counts, oldest first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  readonly regressed: string | null;
  readonly resolved: string | null;
  readonly mutedUntil: string | null;
  readonly mutedUntilCount: number | null;
  readonly owner: { readonly id: string; readonly name: string } | undefined;
  readonly flow:
    | Pick<FlowCause, 'flow_id' | 'flow_name' | 'last_flow_name' | 'last_run_id' | 'last_run_name' | 'versions'>
    | undefined;
  readonly server: (ServerCause['server'] & Pick<ServerCause, 'cure'>) | undefined;
}

export function ofFlow(cause: FlowCause): Cause {
  return {
    ...cause,
    org: undefined,
    title: (cause.count === 1 ? shortMessage(cause.last_message) : cause.cause) || 'No message',
    mark: stateKind(cause.last_state_type, cause.last_state_name),
    firstSeen: cause.first_seen,
    lastSeen: cause.last_seen,
    mutedUntil: cause.muted_until,
    mutedUntilCount: cause.muted_until_count,
    owner: ownerOf(cause.owner_id, cause.owner_name),
    flow: cause,
    server: undefined,
  };
}

export function ofServer(cause: ServerCause, org: string): Cause {
  return {
    ...cause,
    org,
    title: cause.reason,
    mark: 'FAILED',
    firstSeen: cause.firstSeenAt,
    lastSeen: cause.lastSeenAt,
    regressed: cause.regressedAt,
    resolved: cause.resolvedAt,
    owner: ownerOf(cause.ownerId, cause.ownerName),
    flow: undefined,
    server: { ...cause.server, cure: cause.cure },
  };
}

function ownerOf(id: string | null, name: string | null) {
  return id === null ? undefined : { id, name: name ?? 'somebody' };
}

const ranks: Readonly<Record<Standing, number>> = { regressed: 0, new: 1, again: 2, muted: 3, resolved: 3 };

/** Causes that came back are first, then the new ones; each kind by its last time. */
export function inOrder(causes: readonly Cause[]): Cause[] {
  return causes.toSorted(
    (one, other) => ranks[one.standing] - ranks[other.standing] || other.lastSeen.localeCompare(one.lastSeen),
  );
}
