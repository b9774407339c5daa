/**
 * The address of a webhook: a secret of 256 random bits with a checksum, like an API key. The checksum refuses a guessed
 * or mistyped address without a query. The database stores only its SHA-256 and its first characters.
 */
import { platformStatement } from '../../database/statement.ts';
import type { PlatformDb } from '../../database/store.ts';
import type { Row } from '../../database/tables/tables.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import { hashOfApiKey, newApiKey } from '../keys/api-keys.ts';

const PREFIX = 'sbh_';
/** Characters by which people distinguish addresses; they reveal 24 bits of the secret. */
const HINT_CHARACTERS = PREFIX.length + 4;

interface NewWebhookAddress {
  /** Shown once and not stored. */
  readonly slug: string;
  readonly slug_hash: string;
  /** The first characters, for lists. */
  readonly slug_hint: string;
}

export function newWebhookAddress(): NewWebhookAddress {
  const { secret, hash } = newApiKey(PREFIX);
  return { slug: secret, slug_hash: hash, slug_hint: `${secret.slice(0, HINT_CHARACTERS)}…` };
}

const findBySlug = platformStatement<{ slug_hash: string }, Row<'webhook'>>((query, given) =>
  query
    .selectFrom('webhook')
    .innerJoin('workspace', 'workspace.key', 'webhook.workspace')
    .selectAll('webhook')
    .where('webhook.slug_hash', '=', given.slug_hash)
    .where('webhook.enabled', '=', true)
    .where('workspace.organization_id', '<>', REMOVED_WORKSPACES),
);

/** Finds the enabled webhook with this address, in any workspace; undefined if there is none. */
export async function findWebhookBySlug(db: PlatformDb, slug: string): Promise<Row<'webhook'> | undefined> {
  const slug_hash = hashOfApiKey(slug, PREFIX);
  return slug_hash === undefined ? undefined : db.first(findBySlug, { slug_hash });
}
