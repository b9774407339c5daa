/** Reads what a server offers, and stores it. */
import type { Server } from '../../../context/context.ts';
import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { builtinManifest } from '../../../mcp/builtin/offer/manifest.ts';
import { hostedConnectionOf } from '../../../mcp/hosting/launch/schema.ts';
import { type DiscoveryOptions, discover, type Manifest } from '../../../mcp/manifest/discovery.ts';
import type { HostedServers } from '../../../mcp/upstream/hosted-servers.ts';
import { REFUSED_CREDENTIAL, type Upstream, UpstreamError } from '../../../mcp/upstream/upstream.ts';
import type { UpstreamCaller, UpstreamOwner, Upstreams } from '../../../mcp/upstream/upstreams.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { addSeconds, secondsBetween, type Timestamp } from '../../../values/time.ts';
import { type ServerRow, servers } from '../server/queries.ts';
import { selectionIn } from '../server/remix-schema.ts';
import { settleManifestDue, updateManifest } from './queries.ts';
import { makeRemixesDue, readComposedManifest, sourcePattern } from './remix-manifest.ts';

/** The time that a hosted server has for its first answer once it has started. */
const ANSWER_SECONDS = 20;
const ACCOUNT_NEEDED = 'The server needs an account. Connect yours, then refresh.';
/** A server that was asked in vain is asked again after as long as it has been as it is, within these bounds. */
export const ASKED_AGAIN_SECONDS = { first: 300, last: 3600 };

/**
 * Asks the server anew, with the account of `caller` where people have accounts of their own. When it does not answer,
 * what was read before stays, beside the reason.
 */
export async function refreshManifest(server: Server, row: ServerRow, caller?: UpstreamCaller): Promise<ServerRow> {
  const read = await readOffer(server, row, caller);
  const now = server.clock.now();
  return (await server.store.platform.transaction((tx) => storeManifest(server, tx, row, read, now))) ?? row;
}

/** Who asks, for servers where people have accounts of their own. */
export function callerOf({ caller, origin }: OrganizationContext): UpstreamCaller {
  return { actorId: caller.actor.id, actorType: caller.actor.type, platform: origin };
}

/**
 * What the server offers: a remix is not asked, but put together from what is known of its sources. What a built-in one
 * offers is known.
 */
export async function readOffer(
  server: Server,
  row: ServerRow,
  caller?: UpstreamCaller,
): Promise<Manifest | UpstreamError> {
  if (row.kind === 'builtin') return builtinManifest();
  if (row.kind !== 'remix') return readManifest(server, row, caller);
  return readComposedManifest(server.store.platform.reads(), row, selectionIn(row));
}

/** A hosted server that does not run as it should now, or not at all, is started. */
export async function readManifest(
  { upstreams, hosting }: { upstreams: Pick<Upstreams, 'upstreamOf'>; hosting: Pick<HostedServers, 'replaceOutdated'> },
  row: UpstreamOwner & Pick<ServerRow, 'connection' | 'denied_as'>,
  caller?: UpstreamCaller,
): Promise<Manifest | UpstreamError> {
  try {
    await hosting.replaceOutdated(row.id);
    const asksUnknownNames = row.denied_as === 'unknown';
    return await discover(await wayTo(upstreams, row, caller), { ...patienceWith(row), asksUnknownNames });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const needsAccount = row.personal_credential !== null && error.message === REFUSED_CREDENTIAL;
    return needsAccount ? new UpstreamError('credential', ACCOUNT_NEEDED) : error;
  }
}

/** With the account of the caller, or else with the credential that is stored for all. */
async function wayTo(
  upstreams: Pick<Upstreams, 'upstreamOf'>,
  row: UpstreamOwner,
  caller: UpstreamCaller | undefined,
): Promise<Upstream> {
  try {
    return await upstreams.upstreamOf(row, caller);
  } catch (error) {
    if (!caller || !(error instanceof UpstreamError) || error.fault !== 'credential') throw error;
    return upstreams.upstreamOf(row);
  }
}

/** With `stdio` a process starts with the first request. A problem with its start shows only when its time is over. */
function patienceWith({ kind, connection }: Pick<ServerRow, 'kind' | 'connection'>): DiscoveryOptions {
  if (kind !== 'hosted') return {};
  return { firstAnswerSeconds: hostedConnectionOf(JSON.parse(connection)).startSeconds + ANSWER_SECONDS };
}

/**
 * `row` is the row as it was when the server was asked. Undefined when the server was deleted or its connection changed
 * meanwhile: the manifest then describes another server, and nothing is stored.
 */
export async function storeManifest(
  { serverChanges, wakeUps }: Pick<Server, 'serverChanges' | 'wakeUps'>,
  tx: PlatformTx,
  row: ServerRow,
  read: Manifest | UpstreamError,
  now: Timestamp,
): Promise<ServerRow | undefined> {
  const { id, manifest_due: known, connection_version } = row;
  await tx.run(settleManifestDue, { id, known, connection_version, due: askedAgainAt(row, read, now) });
  if (read instanceof UpstreamError) {
    return servers.change(tx, { id, connection_version }, { manifest_error: read.message });
  }
  const updated = await tx.first(updateManifest, { id, connection_version, manifest: jsonTextOf(read), now });
  if (!updated) return undefined;
  if (row.kind !== 'remix') {
    await tx.run(makeRemixesDue, { organization_id: row.organization_id, source_pattern: sourcePattern(id), now });
  }
  tx.afterCommit(() => {
    serverChanges.publish(id, 'manifest');
    if (row.kind !== 'remix') wakeUps.wakeServer('manifests');
  });
  return updated;
}

/**
 * When the service asks a server that was made, or is reached in another way, at `now`. A hosted one at once; another one
 * is asked by the request itself, and by the service only where that was cut off.
 */
export function firstDue({ kind }: Pick<ServerRow, 'kind'>, now: Timestamp): Timestamp {
  return kind === 'hosted' ? now : addSeconds(now, ASKED_AGAIN_SECONDS.first);
}

/** A failure may be over by then; a refusal to send to the address is not, nor is a missing account. */
function askedAgainAt({ updated }: ServerRow, read: Manifest | UpstreamError, now: Timestamp): Timestamp | null {
  if (!(read instanceof UpstreamError) || read.fault === 'refused' || read.fault === 'credential') return null;
  const { first, last } = ASKED_AGAIN_SECONDS;
  return addSeconds(now, Math.min(Math.max(first, secondsBetween(updated, now)), last));
}
