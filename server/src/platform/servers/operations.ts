import { NamedConflict, ValidationFailed } from '../../errors.ts';
import type { ExternalConnection } from '../../gateway/connections.ts';
import type { PolicyRule } from '../../gateway/policy.ts';
import { newId, newTimeOrderedId } from '../../id.ts';
import { jsonTextOf } from '../../json.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { recordAudit } from '../audit/record.ts';
import { deleteGrantsOfResource } from '../grants/queries.ts';
import { insertServer, removeServer, type ServerRow, updatePolicy, updateServer } from './queries.ts';
import type { PolicyPut, ServerCreate, ServerUpdate } from './schema.ts';

/** 409 `slug_taken`. */
export function createServer(context: OrganizationContext, given: ServerCreate): Promise<ServerRow> {
  const { organization, now } = context;
  checkKind(given.kind, given);
  if (given.kind === 'external' && !given.external) {
    invalid('external', 'An external server needs to know where it is.');
  }
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
    policy: jsonTextOf([]),
    policy_version: 0,
    ...connectionOf(context, given),
    connection_version: 1,
    manifest: null,
    manifest_version: 0,
    manifest_read_at: null,
    manifest_error: null,
    manifest_due: null,
  };
  return context.transaction(async (tx) => {
    if (!(await tx.first(insertServer, row))) throw slugTaken(given.slug);
    await recordAudit(context, tx, {
      organizationId: organization.id,
      action: 'server.create',
      target: { type: 'server', id: row.id, name: row.name },
      details: auditedOf(given),
    });
    return row;
  });
}

export async function changeServer(
  context: OrganizationContext,
  row: ServerRow,
  given: ServerUpdate,
): Promise<ServerRow> {
  checkKind(row.kind, given);
  const isMoved = Boolean(given.external ?? given.hosted);
  const connection = isMoved ? connectionOf(context, given) : row;
  const changed = await context.transaction(async (tx) => {
    const updated = await tx
      .first(updateServer, {
        id: row.id,
        now: context.now,
        slug: given.slug ?? row.slug,
        name: given.name ?? row.name,
        description: given.description ?? row.description,
        visibility: given.visibility ?? row.visibility,
        default_role: given.defaultRole === undefined ? row.default_role : given.defaultRole,
        authentication: given.authentication ?? row.authentication,
        connection: connection.connection,
        encrypted_credential: connection.encrypted_credential,
        connection_step: isMoved ? 1 : 0,
        manifest_due: isMoved && row.kind === 'hosted' ? context.now : null,
      })
      .catch((error: unknown) => {
        throw (error as { code?: string }).code === 'integrity_conflict' ? slugTaken(given.slug ?? row.slug) : error;
      });
    if (!updated) return row;
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'server.update',
      target: { type: 'server', id: row.id, name: updated.name },
      details: auditedOf(given),
    });
    tx.afterCommit(() => {
      context.server.serverChanges.publish(row.id, isMoved ? 'connection' : 'access');
      context.server.wakeUps.wake('manifests', context.server.defaultWorkspace);
    });
    return updated;
  });
  return changed;
}

/** Deletes it with its grants and its policy. The record of its requests may be long: retention takes it away. */
export function deleteServer(context: OrganizationContext, row: ServerRow): Promise<void> {
  return context.transaction(async (tx) => {
    await tx.run(removeServer, row);
    await tx.run(deleteGrantsOfResource, { resource_id: row.id });
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'server.delete',
      target: { type: 'server', id: row.id, name: row.name },
    });
    tx.afterCommit(() => {
      context.server.serverChanges.publish(row.id, 'deleted');
      context.server.wakeUps.wake('retention', context.server.defaultWorkspace);
    });
  });
}

/** Replaces all rules; in force at the next request. */
export function putPolicy(
  context: OrganizationContext,
  row: ServerRow,
  given: PolicyPut,
): Promise<{ version: number; rules: PolicyRule[] }> {
  const rules = given.rules.map((rule): PolicyRule => ({ id: newId(), ...rule }));
  return context.transaction(async (tx) => {
    const updated = await tx.first(updatePolicy, { id: row.id, policy: jsonTextOf(rules), now: context.now });
    await recordAudit(context, tx, {
      organizationId: row.organization_id,
      action: 'server.policy',
      target: { type: 'server', id: row.id, name: row.name },
      details: { rules },
    });
    tx.afterCommit(() => context.server.serverChanges.publish(row.id, 'policy'));
    return { version: updated?.policy_version ?? row.policy_version, rules };
  });
}

type StoredConnection = Pick<ServerRow, 'connection' | 'encrypted_credential'>;

function connectionOf(
  { server }: OrganizationContext,
  given: Pick<ServerCreate, 'external' | 'hosted'>,
): StoredConnection {
  const { external, hosted } = given;
  if (!external) return { connection: jsonTextOf(hosted ?? {}), encrypted_credential: null };
  const { url, answerSeconds, credential: written } = external;
  const { secret, ...credential } = { secret: undefined, ...written };
  const connection: ExternalConnection = { url, answerSeconds, credential };
  return {
    connection: jsonTextOf(connection),
    encrypted_credential: secret === undefined ? null : server.encryption.encrypt(secret),
  };
}

/** What fits one kind of server alone. */
function checkKind(kind: string, { external, hosted, authentication }: Partial<ServerCreate>): void {
  if (kind !== 'external' && external) invalid('external', 'Only an external server has this.');
  if (kind !== 'hosted' && hosted) invalid('hosted', 'Only a hosted server has this.');
  if (kind !== 'hosted' && authentication === 'none') {
    invalid('authentication', 'Only a hosted server can authenticate by itself.');
  }
}

function invalid(field: string, msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', field], msg }]);
}

/** What the audit tells of a change: no secret. */
function auditedOf({ external, ...given }: Partial<ServerCreate>): Record<string, unknown> {
  if (!external) return given;
  const { credential, ...rest } = external;
  return { ...given, external: { ...rest, credential: credential.kind } };
}

function slugTaken(slug: string): NamedConflict {
  return new NamedConflict('slug_taken', `The organization has a server with the slug "${slug}" already.`);
}
