/** Reads the manifest of a server, and stores it. */
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

/** Time for the first answer of a hosted server after its start. */
const ANSWER_SECONDS = 20;
const ACCOUNT_NEEDED = 'The server needs an account. Connect yours, then refresh.';
/** Seconds until the next reading after a failed one: the age of the server's last change, within these bounds. */
export const ASKED_AGAIN_SECONDS = { first: 300, last: 3600 };

/**
 * Reads the server again, with the account of `caller` if people have accounts of their own. If it does not answer, the
 * earlier manifest stays, next to the reason.
 */
export async function refreshManifest(server: Server, row: ServerRow, caller?: UpstreamCaller): Promise<ServerRow> {
  const read = await readOffer(server, row, caller);
  const now = server.clock.now();
  return (await server.store.platform.transaction((tx) => storeManifest(server, tx, row, read, now))) ?? row;
}

/** The caller, for servers where people have accounts of their own. */
export function callerOf({ caller, origin }: OrganizationContext): UpstreamCaller {
  return { actorId: caller.actor.id, actorType: caller.actor.type, platform: origin };
}

/**
 * The manifest of the server. That of a remix is not read, but composed from the known manifests of its sources. That
 * of a built-in server is known.
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

/** Starts a hosted server that does not run, or that does not run as it should. */
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

/** Uses the account of the caller, or else the credential that is stored for all. */
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

/**
 * With `stdio`, a process starts with the first request, and a problem with its start shows only when its time is over.
 */
function patienceWith({ kind, connection }: Pick<ServerRow, 'kind' | 'connection'>): DiscoveryOptions {
  if (kind !== 'hosted') return {};
  return { firstAnswerSeconds: hostedConnectionOf(JSON.parse(connection)).startSeconds + ANSWER_SECONDS };
}

/**
 * `row` is the row from the time of the reading. Undefined when the server was deleted or its connection changed in the
 * meantime: then the manifest describes another server, and is not stored.
 */
export async function storeManifest(
  { hub }: Pick<Server, 'hub'>,
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
    hub.tell('servers', id, 'manifest');
    if (row.kind !== 'remix') hub.tell('work', 'manifests', undefined);
  });
  return updated;
}

/**
 * The time at which the service reads a server that was made, or whose connection changed, at `now`. A hosted one is
 * read at once; another one is read by the request itself, and by the service only if that was interrupted.
 */
export function firstDue({ kind }: Pick<ServerRow, 'kind'>, now: Timestamp): Timestamp {
  return kind === 'hosted' ? now : addSeconds(now, ASKED_AGAIN_SECONDS.first);
}

/** A failure may be over by then, but a refusal to connect to the address or a missing account is not. */
function askedAgainAt({ updated }: ServerRow, read: Manifest | UpstreamError, now: Timestamp): Timestamp | null {
  if (!(read instanceof UpstreamError) || read.fault === 'refused' || read.fault === 'credential') return null;
  const { first, last } = ASKED_AGAIN_SECONDS;
  return addSeconds(now, Math.min(Math.max(first, secondsBetween(updated, now)), last));
}
