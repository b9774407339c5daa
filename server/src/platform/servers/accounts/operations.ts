/** Connects a person's account at a server behind the gateway, and disconnects it. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { Forbidden, found, NotFound, ValidationFailed } from '../../../errors.ts';
import { revokeTokens } from '../../../mcp/credentials/authorization-server.ts';
import { clientIn, endOf } from '../../../mcp/credentials/held-credential.ts';
import { type CredentialRow, upstreamClients, upstreamCredentials } from '../../../mcp/credentials/queries.ts';
import {
  connectUrlOf,
  type PersonalCredential,
  personalCredentialOf,
  type StoredTokens,
} from '../../../mcp/credentials/settings.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { auditIn } from '../../audit/record.ts';
import { holdSession } from '../../users/hold-session.ts';
import { callerOf, refreshManifest } from '../manifest/manifests.ts';
import type { SeenServer } from '../server/access.ts';
import { lockServer, type ServerRow } from '../server/queries.ts';
import type { AccountOfPerson, ListedAccount } from './queries.ts';
import type { ConnectedAccount, OwnServerAccount, ServerAccount } from './schema.ts';

const audit = auditIn('server_account', 'server');

const NO_ACCOUNTS = 'People do not use their own accounts at this server.';

/** The way in which people connect to the server. Throws NotFound if they do not. */
export function settingsOf({
  personal_credential: stored,
}: Pick<ServerRow, 'personal_credential'>): PersonalCredential {
  if (stored === null) throw new NotFound(NO_ACCOUNTS);
  return personalCredentialOf(stored);
}

/**
 * Throws Forbidden for a service account and for a key: only a person at a browser decides which account belongs to
 * them.
 */
export function checkPerson({ caller }: OrganizationContext): void {
  if (caller.actor.type !== 'user') {
    throw new Forbidden(
      'A service account cannot have its own account at a server. An administrator can store a credential of the server itself (external.credential, or a variable of a hosted server), which service accounts use.',
    );
  }
  if (!caller.session) throw new Forbidden('Only a person who is signed in may do this. An API key is not enough.');
}

export async function readAccount(context: OrganizationContext, row: ServerRow): Promise<ServerAccount> {
  const { kind } = settingsOf(row);
  const place = { server_id: row.id, user_id: context.caller.actor.id };
  const account = await upstreamCredentials.first(context.db, place);
  return {
    kind,
    state: account ? stateOf(account) : 'missing',
    problem: account?.problem ?? null,
    scope: account?.scope ?? null,
    connectedAt: account?.created ?? null,
    connectUrl: connectUrlOf(context.origin, context.organization.slug, row.slug),
  };
}

function stateOf({ problem }: Pick<CredentialRow, 'problem'>): 'connected' | 'ended' {
  return problem === null ? 'connected' : 'ended';
}

export function ownAccountOf(row: ListedAccount, origin: string): OwnServerAccount {
  return {
    id: row.id,
    server: { id: row.server_id, name: row.server_name, slug: row.server_slug, organization: row.organization_slug },
    kind: row.kind as OwnServerAccount['kind'],
    state: stateOf(row),
    problem: row.problem,
    connectedAt: row.created,
    connectUrl: connectUrlOf(origin, row.organization_slug, row.server_slug),
  };
}

/** The error when the server has changed since the person saw it. */
export function changedMeanwhile(): ValidationFailed {
  const msg = 'The server was changed in the meantime. Start again.';
  return new ValidationFailed([{ type: 'value_error', loc: ['body'], msg }]);
}

/** The credential that was obtained for a person. */
type Obtained =
  | { readonly kind: 'key'; readonly key: string }
  | {
      readonly kind: 'oauth';
      readonly tokens: StoredTokens;
      readonly seconds: number | undefined;
      readonly scope: string | null;
    };

/** Replaces the person's credential. When the first editor connects, the server's manifest is read too. */
export async function connectAccount(
  context: OrganizationContext,
  seen: SeenServer,
  obtained: Obtained,
): Promise<void> {
  const { now, caller, server } = context;
  const { row, role } = seen;
  const secret = obtained.kind === 'key' ? obtained.key : JSON.stringify(obtained.tokens);
  await context.transaction(async (tx) => {
    await holdSession(context, tx);
    const current = await tx.first(lockServer, { id: row.id });
    // The address may have changed in the meantime, and the secret is only for the one that the person saw.
    if (current?.personal_credential !== row.personal_credential || current.connection !== row.connection) {
      throw changedMeanwhile();
    }
    const place = { server_id: row.id, user_id: caller.actor.id };
    await upstreamCredentials.removeAll(tx, place);
    await upstreamCredentials.insert(tx, {
      id: newTimeOrderedId(),
      created: now,
      updated: now,
      organization_id: row.organization_id,
      ...place,
      kind: obtained.kind,
      encrypted_secret: server.encryption.encrypt(secret),
      scope: obtained.kind === 'oauth' ? obtained.scope : null,
      expires_at: obtained.kind === 'oauth' ? endOf(now, obtained.seconds) : null,
      problem: null,
      version: 1,
      renewing_until: null,
    });
    await audit(context, tx, 'connect', row, { kind: obtained.kind });
  });
  if (row.manifest === null && role !== 'viewer') await refreshManifest(server, row, callerOf(context));
}

export function connectedAccountOf(row: AccountOfPerson): ConnectedAccount {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    kind: row.kind as ConnectedAccount['kind'],
    state: stateOf(row),
    problem: row.problem,
    connectedAt: row.created,
  };
}

/** From the next request on, the person's credential is not used. Its tokens are also revoked at the other server. */
export async function disconnectAccount(context: OrganizationContext, row: ServerRow, userId: string): Promise<void> {
  const isOwn = userId === context.caller.actor.id;
  const place = { server_id: row.id, user_id: userId };
  const removed = await context.transaction(async (tx) => {
    const missing = `${isOwn ? 'You have' : 'This person has'} no account connected here.`;
    const account = found(await upstreamCredentials.remove(tx, place), missing);
    await audit(context, tx, 'disconnect', row, isOwn ? {} : { userId });
    return account;
  });
  if (removed.kind === 'oauth') await revoke(context, removed);
}

/** The account is already deleted here, so that the other server cannot keep it by failing. */
async function revoke(
  { server, db }: OrganizationContext,
  { server_id, encrypted_secret }: CredentialRow,
): Promise<void> {
  const client = await upstreamClients.first(db, { server_id });
  if (!client) return;
  const tokens = JSON.parse(server.encryption.decrypt(encrypted_secret)) as StoredTokens;
  await revokeTokens(clientIn(client, server.encryption), await server.targets.current(), tokens);
}
