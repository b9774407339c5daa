import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Timestamp } from '../../time.ts';
import type { ApiKey } from './schema.ts';

export type ApiKeyRow = Omit<Row<'api_key'>, 'hash'>;

const shown = ['id', 'created', 'descriptor', 'owner_type', 'owner_id', 'revoked_at', 'last_used_at'] as const;

export const insertApiKey = platformStatement<Row<'api_key'>, unknown>((query, given) =>
  query.insertInto('api_key').values(rowOf('api_key', given)),
);

export const listApiKeys = platformStatement<{ owner_id: string; cursor: string; limit: number }, ApiKeyRow>(
  (query, given) =>
    query
      .selectFrom('api_key')
      .select(shown)
      .where('owner_id', '=', given.owner_id)
      .where('id', '>', given.cursor)
      .orderBy('id')
      .limit(given.limit),
);

export const listActiveApiKeys = platformStatement<{ owner_id: string }, ApiKeyRow>((query, given) =>
  query
    .selectFrom('api_key')
    .select(shown)
    .where('owner_id', '=', given.owner_id)
    .where('revoked_at', 'is', null)
    .orderBy('id'),
);

/** Touches nothing when the key is another owner's or revoked already. */
export const revokeKey = platformStatement<{ id: string; owner_id: string; now: Timestamp }, ApiKeyRow>(
  (query, given) =>
    query
      .updateTable('api_key')
      .set({ revoked_at: given.now })
      .where('id', '=', given.id)
      .where('owner_id', '=', given.owner_id)
      .where('revoked_at', 'is', null)
      .returning(shown),
);

export const revokeKeysOfOwner = platformStatement<{ owner_id: string; now: Timestamp }, unknown>((query, given) =>
  query
    .updateTable('api_key')
    .set({ revoked_at: given.now })
    .where('owner_id', '=', given.owner_id)
    .where('revoked_at', 'is', null),
);

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    descriptor: row.descriptor,
    state: row.revoked_at === null ? 'active' : 'revoked',
    createdAt: row.created,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
