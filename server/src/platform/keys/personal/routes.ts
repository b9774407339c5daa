/** Routes for the keys of the caller. */
import { actorOf } from '../../../context/platform-context.ts';
import { Conflict } from '../../../errors.ts';
import { platformRoutes } from '../../../http/routes/platform-routes.ts';
import { holdSession } from '../../users/hold-session.ts';
import { listKeysOf } from '../api-keys/lists.ts';
import { createPersonalKey, revokeApiKey, rollApiKey } from '../api-keys/operations.ts';
import { ApiKeyCreate, ApiKeyCreated, ApiKeyList, ApiKeyRoll, ApiKeyRolled, keyPageQuery } from '../api-keys/schema.ts';
import { ownerOf } from './owner.ts';

const { get, post, remove } = platformRoutes('Me', 'actor');

export const personalKeyRoutes = [
  remove('/me/api-key', 'revokeOwnApiKey', {
    summary: 'Revoke the key of this request',
    description:
      'Revokes the key of this request. The next request with it is refused. 409 for a session, which has no key.',
    conflicts: ['conflict'],
    handler: async ({ context }) => {
      const id = context.caller?.apiKeyId;
      if (id === undefined) throw new Conflict('This request used a session, not a key.');
      await context.transaction((tx) => revokeApiKey(context, tx, ownerOf(context), id));
    },
  }),
  get('/me/api-keys', 'listPersonalApiKeys', {
    summary: "List the caller's personal keys",
    description:
      "The caller's active, expired and revoked keys, oldest first. The list has no secrets, because they are not stored.",
    query: keyPageQuery,
    answers: ApiKeyList,
    handler: ({ context, query }) => listKeysOf(context, actorOf(context).id, query),
  }),
  post('/me/api-keys', 'createPersonalApiKey', {
    summary: 'Create a personal key',
    description:
      "Requires a session: a key cannot create keys. Only this answer contains the secret. At each request the key has the permissions of its owner. Without an expiry the key gets the smallest of the maximum key ages of the person's organizations. An organization refuses the key (403) when it is older than the organization allows, whatever its expiry.",
    access: 'session',
    body: ApiKeyCreate,
    answers: [201, ApiKeyCreated],
    handler: ({ context, body }) => createPersonalKey(context, body),
  }),
  post('/me/api-keys/{keyId}/roll', 'rollPersonalApiKey', {
    summary: 'Roll a personal key',
    description:
      'Creates a key that replaces the old one; requires a session. Only this answer contains the secret. The old key continues to work for `endsInSeconds`. 409 `api_key_expired` for a key that has expired, `api_key_rolled` for one that was already rolled; 404 for one that is revoked.',
    conflicts: ['api_key_expired', 'api_key_rolled'],
    access: 'session',
    body: ApiKeyRoll,
    answers: [201, ApiKeyRolled],
    handler: async ({ context, path, body }) =>
      await context.transaction(async (tx) => {
        await holdSession(context, tx);
        return rollApiKey(context, tx, ownerOf(context), path.keyId, body);
      }),
  }),
  remove('/me/api-keys/{keyId}', 'revokePersonalApiKey', {
    summary: 'Revoke a personal key',
    description: 'Applies to every request that begins after the answer. 404 when the caller has no such active key.',
    handler: ({ context, path }) =>
      context.transaction((tx) => revokeApiKey(context, tx, ownerOf(context), path.keyId)),
  }),
];
