import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { found, NamedConflict, ValidationFailed } from '../../../errors.ts';
import type { PolicyRule } from '../../../mcp/gateway/decide/policy.ts';
import { ceilingProblem } from '../../../mcp/hosting/launch/ceilings.ts';
import type { HostedConnection } from '../../../mcp/hosting/launch/schema.ts';
import type { Selection } from '../../../mcp/remix/composition/selection.ts';
import type { ExternalConnection } from '../../../mcp/upstream/external-connection.ts';
import { newId, newTimeOrderedId } from '../../../values/id.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { grants } from '../../grants/queries.ts';
import { firstDue } from '../manifest/manifests.ts';
import { makeRemixesDue, sourcePattern } from '../manifest/remix-manifest.ts';
import { storableSelection } from '../remix/selection.ts';
import { MISSING } from '../server/access.ts';
import { audit } from '../server/audit.ts';
import type { PersonalCredentialWrite } from '../server/personal-credential-schema.ts';
import { insertServer, lockServer, type ServerRow, servers, updatePolicy, updateServer } from '../server/queries.ts';
import { selectionIn } from '../server/remix-schema.ts';
import type { PolicyPut, ServerCreate, ServerUpdate } from '../server/schema.ts';
import { separated, type UpstreamCredentialWrite } from '../server/upstream-credential.ts';
import { checkPersonal, endAccounts, endsAccounts, personalColumns } from './personal-credential.ts';

/** `also` runs within the same change. 409 `slug_taken` or `capability_conflict`. */
export async function createServer(
  context: OrganizationContext,
  given: ServerCreate,
  also?: (tx: PlatformTx, row: ServerRow) => Promise<void>,
): Promise<ServerRow> {
  const { organization, now } = context;
  checkKind(given.kind, given);
  if (given.kind === 'external' && !given.external) {
    invalid('external', 'An external server needs an address (external.url).');
  }
  const selection =
    given.kind === 'remix' ? await storableSelection(context, given.remix ?? { sources: [] }) : undefined;
  const row: ServerRow = {
    id: newTimeOrderedId(),
    created: now,
    updated: now,
    organization_id: organization.id,
    slug: given.slug,
    name: given.name,
    description: given.description,
    kind: given.kind,
    visibility: given.visibility,
    default_role: given.defaultRole,
    authentication: given.authentication,
    denied_as: given.deniedAs,
    policy: jsonTextOf([]),
    policy_version: 0,
    ...(selection ? selectionColumns(selection) : connectionOf(context, given)),
    connection_version: 1,
    manifest: null,
    manifest_version: 0,
    manifest_read_at: null,
    manifest_error: null,
    manifest_due: firstDue(given, now),
    workspace_id: null,
    stopped_at: null,
    ...personalColumns(context, given.personalCredential ?? null, undefined),
    limits: null,
    approved_tools: null,
  };
  checkPersonal(row);
  return context.transaction(async (tx) => {
    if (!(await tx.first(insertServer, row))) throw slugTaken(given.slug);
    await audit(context, tx, 'create', row, auditedOf(given));
    await also?.(tx, row);
    return row;
  });
}

/** Omitted fields keep the values that they have when the change runs. 409 `slug_taken` or `capability_conflict`. */
export async function changeServer(
  context: OrganizationContext,
  { id, ...known }: ServerRow,
  given: ServerUpdate,
): Promise<ServerRow> {
  checkKind(known.kind, given);
  const selection = given.remix && (await storableSelection(context, given.remix, selectionIn(known)));
  // A remix shows its name and description to clients itself.
  const isRenamed = known.kind === 'remix' && (given.name ?? given.description) !== undefined;
  const isMoved = Boolean(given.external ?? given.hosted ?? given.remix ?? isRenamed);
  return context.transaction(async (tx) => {
    const row = found(await tx.first(lockServer, { id }), MISSING);
    if (selection && row.connection_version !== known.connection_version) throw changedMeanwhile();
    const { connection, encrypted_credential } = selection
      ? selectionColumns(selection)
      : changedConnection(context, row, given);
    const personal =
      given.personalCredential === undefined ? row : personalColumns(context, given.personalCredential, row);
    const { personal_credential, encrypted_client_secret } = personal;
    const authentication = given.authentication ?? row.authentication;
    checkPersonal({ ...row, authentication, connection, personal_credential });
    const stored = await tx
      .first(updateServer, {
        id,
        now: context.now,
        slug: given.slug ?? row.slug,
        name: given.name ?? row.name,
        description: given.description ?? row.description,
        visibility: given.visibility ?? row.visibility,
        default_role: given.defaultRole === undefined ? row.default_role : given.defaultRole,
        authentication,
        denied_as: given.deniedAs ?? row.denied_as,
        connection,
        encrypted_credential,
        personal_credential,
        encrypted_client_secret,
        connection_step: isMoved ? 1 : 0,
        manifest_due: isMoved ? firstDue(row, context.now) : null,
      })
      .catch((error: unknown) => {
        throw (error as { code?: string }).code === 'integrity_conflict' ? slugTaken(given.slug ?? row.slug) : error;
      });
    const updated = found(stored, MISSING);
    if (endsAccounts(row, updated)) await endAccounts(tx, id);
    await audit(context, tx, 'update', updated, auditedOf(given));
    tx.afterCommit(() => {
      context.server.hub.tell('servers', id, isMoved ? 'connection' : 'access');
      context.server.hub.tell('work', 'manifests', undefined);
    });
    return updated;
  });
}

/**
 * Deletes it with its grants and its policy. The record of its requests may be long, so the retention service deletes
 * it. A built-in server cannot be deleted: 409 `builtin_server`.
 */
export async function deleteServer(context: OrganizationContext, row: ServerRow): Promise<void> {
  if (row.kind === 'builtin') {
    throw new NamedConflict('builtin_server', 'The built-in server of a workspace is deleted with its workspace.');
  }
  await context.transaction(async (tx) => {
    const { id, organization_id } = row;
    await servers.removeAll(tx, { id });
    await tx.run(makeRemixesDue, { organization_id, source_pattern: sourcePattern(id), now: context.now });
    await grants.removeAll(tx, { resource_id: id });
    await audit(context, tx, 'delete', row);
    tx.afterCommit(() => {
      context.server.hub.tell('servers', id, 'deleted');
      context.server.hub.tell('work', 'retention', undefined);
      context.server.hub.tell('work', 'manifests', undefined);
    });
  });
}

/** Replaces all rules; takes effect at the next request. */
export function putPolicy(
  context: OrganizationContext,
  row: ServerRow,
  given: PolicyPut,
): Promise<{ version: number; rules: PolicyRule[] }> {
  const rules = given.rules.map((rule): PolicyRule => ({ id: newId(), ...rule }));
  return context.transaction(async (tx) => {
    const updated = await tx.first(updatePolicy, { id: row.id, policy: jsonTextOf(rules), now: context.now });
    await audit(context, tx, 'policy', row, { rules });
    tx.afterCommit(() => context.server.hub.tell('servers', row.id, 'policy'));
    return { version: updated?.policy_version ?? row.policy_version, rules };
  });
}

function changedMeanwhile(): NamedConflict {
  return new NamedConflict('remix_changed', 'Another request has changed the remix. Load it again.');
}

function selectionColumns(selection: Selection): StoredConnection {
  return { connection: jsonTextOf(selection), encrypted_credential: null };
}

type StoredConnection = Pick<ServerRow, 'connection' | 'encrypted_credential'>;

function connectionOf(
  context: OrganizationContext,
  { external, hosted }: Pick<ServerCreate, 'external' | 'hosted'>,
): StoredConnection {
  if (hosted) checkCeilings(context, hosted);
  if (!external) return { connection: jsonTextOf(hosted ?? {}), encrypted_credential: null };
  const { url, answerSeconds } = external;
  const { credential, encrypted_credential } = storedCredential(context, external.credential);
  const connection: ExternalConnection = { url, answerSeconds, credential };
  return { connection: jsonTextOf(connection), encrypted_credential };
}

function changedConnection(
  context: OrganizationContext,
  row: ServerRow,
  { external, hosted }: ServerUpdate,
): StoredConnection {
  if (hosted) {
    checkCeilings(context, hosted);
    const connection = jsonTextOf({ ...JSON.parse(row.connection), ...hosted });
    return { connection, encrypted_credential: row.encrypted_credential };
  }
  if (!external) return row;
  const known = JSON.parse(row.connection) as ExternalConnection;
  const { url = known.url, answerSeconds = known.answerSeconds } = external;
  const isElsewhere = new URL(url).origin !== new URL(known.url).origin;
  if (!external.credential && isElsewhere && row.encrypted_credential !== null) {
    const msg = 'The URL has another origin. Send the credential again, or {"kind": "none"}.';
    throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'external', 'credential'], msg }]);
  }
  const { credential, encrypted_credential } = external.credential
    ? storedCredential(context, external.credential)
    : { credential: known.credential, encrypted_credential: row.encrypted_credential };
  const connection: ExternalConnection = { url, answerSeconds, credential };
  return { connection: jsonTextOf(connection), encrypted_credential };
}

function checkCeilings({ server }: OrganizationContext, hosted: Partial<HostedConnection>): void {
  const fault = ceilingProblem(hosted, server.config.hostingCeilings);
  if (!fault) return;
  const loc = ['body', 'hosted', fault.field];
  throw new ValidationFailed([{ type: 'less_than_equal', loc, msg: fault.problem }]);
}

function storedCredential(
  { server }: OrganizationContext,
  written: UpstreamCredentialWrite,
): Pick<ExternalConnection, 'credential'> & Pick<StoredConnection, 'encrypted_credential'> {
  const { credential, secret } = separated(written);
  return { credential, encrypted_credential: secret === null ? null : server.encryption.encrypt(secret) };
}

/** The input of a new server or of a change. */
type Given = Partial<ServerCreate> | ServerUpdate;

/** Refuses fields that belong to the other kind of server. */
function checkKind(kind: string, { external, hosted, remix, authentication }: Given): void {
  if (kind !== 'external' && external) invalid('external', 'Only an external server has this.');
  if (kind !== 'hosted' && hosted) invalid('hosted', 'Only a hosted server has this.');
  if (kind !== 'remix' && remix) invalid('remix', 'Only a remix has this.');
  if (kind !== 'hosted' && authentication === 'none') {
    invalid('authentication', 'Only a hosted server can do its own authentication.');
  }
}

function invalid(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', field], msg }]);
}

/** The details of a change for the audit, without secrets. */
function auditedOf({ external, personalCredential, ...given }: Given): Record<string, unknown> {
  const details = personalCredential === undefined ? given : { ...given, personalCredential: told(personalCredential) };
  if (!external) return details;
  const { credential, ...rest } = external;
  return { ...details, external: credential ? { ...rest, credential: credential.kind } : rest };
}

function told(written: PersonalCredentialWrite | null): object | null {
  const { clientSecret: _secret, ...rest } = { clientSecret: null, ...written };
  return written && rest;
}

function slugTaken(slug: string): NamedConflict {
  return new NamedConflict('slug_taken', `The organization already has a server with the slug "${slug}".`);
}
