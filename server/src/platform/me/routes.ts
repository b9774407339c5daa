/** Routes for callers about themselves, and for their personal keys. */
import { Conflict, notFound } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { actorOf, type PlatformContext } from '../../platform-context.ts';
import { listKeysOf } from '../api-keys/lists.ts';
import { createPersonalKey, revokeApiKey, rollApiKey } from '../api-keys/operations.ts';
import { ApiKeyCreate, ApiKeyCreated, ApiKeyList, ApiKeyRoll, ApiKeyRolled, keyPageQuery } from '../api-keys/schema.ts';
import { findOwnServiceAccount, serviceAccountOf } from '../service-accounts/queries.ts';
import { holdSession } from '../users/hold-session.ts';
import { findUser, userOf } from '../users/queries.ts';
import { readAccess } from './access.ts';
import { Access, accessQuery } from './access-schema.ts';
import { ownerOf } from './key-owner.ts';
import { Me } from './schema.ts';

const tags = ['Me'];
const keys = '/me/api-keys';

export const meRoutes = [
  platformRoute({
    method: 'GET',
    path: '/me',
    operationId: 'readMe',
    summary: 'Read who the caller is',
    description: 'The user or service account behind the key or session, and how it was identified.',
    tags,
    access: 'actor',
    responses: { 200: Me },
    handler: async ({ context }) => ok(await readMe(context)),
  }),
  platformRoute({
    method: 'GET',
    path: '/me/access',
    operationId: 'readAccess',
    summary: 'Read what the caller may do',
    description:
      'The organizations and workspaces that the caller may enter, with the role in each, and the permissions in one workspace: the one behind `/api`, or a hosted one. Without a credential it answers what anyone may do. At most 100 organizations and 500 workspaces are listed.',
    tags,
    access: 'public',
    query: accessQuery,
    responses: { 200: Access },
    handler: async ({ context, query }) => ok(await readAccess(context, query)),
  }),
  platformRoute({
    method: 'DELETE',
    path: '/me/api-key',
    operationId: 'revokeOwnApiKey',
    summary: 'Revoke the key of this request',
    description:
      'Revokes the key of this request. The next request with it is refused. 409 for a session, which has no key.',
    conflicts: ['conflict'],
    tags,
    access: 'actor',
    responses: { 204: null },
    handler: async ({ context }) => {
      const id = context.caller?.apiKeyId;
      if (id === undefined) throw new Conflict('This request used a session, not a key.');
      await context.transaction((tx) => revokeApiKey(context, tx, ownerOf(context), id));
      return noContent;
    },
  }),
  platformRoute({
    method: 'GET',
    path: keys,
    operationId: 'listPersonalApiKeys',
    summary: "List the caller's personal keys",
    description:
      'Keys of the person who asks, oldest first: active, expired and revoked. Secrets are not stored, so none is listed.',
    tags,
    access: 'actor',
    query: keyPageQuery,
    responses: { 200: ApiKeyList },
    handler: async ({ context, query }) => ok(await listKeysOf(context, actorOf(context).id, query)),
  }),
  platformRoute({
    method: 'POST',
    path: keys,
    operationId: 'createPersonalApiKey',
    summary: 'Create a personal key',
    description:
      'Requires a session: a key cannot create keys. The secret is in this answer only. What the key may do is what its owner may do at each request. Without an expiry the key gets the least of the greatest key ages of the organizations of the person. An organization refuses the key (403) once it is older than the organization allows, whatever its expiry.',
    tags,
    access: 'session',
    body: ApiKeyCreate,
    responses: { 201: ApiKeyCreated },
    handler: async ({ context, body }) => created(await createPersonalKey(context, body)),
  }),
  platformRoute({
    method: 'POST',
    path: `${keys}/{keyId}/roll`,
    operationId: 'rollPersonalApiKey',
    summary: 'Roll a personal key',
    description:
      'Makes a key in its place; requires a session. The secret is in this answer only. The old key works for `endsInSeconds` more. 409 `api_key_expired` for a key that has expired, `api_key_rolled` for one that was rolled before; 404 for one that is revoked.',
    conflicts: ['api_key_expired', 'api_key_rolled'],
    tags,
    access: 'session',
    parameters: { keyId: 'uuid' },
    body: ApiKeyRoll,
    responses: { 201: ApiKeyRolled },
    handler: async ({ context, path, body }) =>
      created(
        await context.transaction(async (tx) => {
          await holdSession(context, tx);
          return rollApiKey(context, tx, ownerOf(context), path.keyId, body);
        }),
      ),
  }),
  platformRoute({
    method: 'DELETE',
    path: `${keys}/{keyId}`,
    operationId: 'revokePersonalApiKey',
    summary: 'Revoke a personal key',
    description: 'In force for every request that begins after the answer. 404 when the caller has no such active key.',
    tags,
    access: 'actor',
    parameters: { keyId: 'uuid' },
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await context.transaction((tx) => revokeApiKey(context, tx, ownerOf(context), path.keyId));
      return noContent;
    },
  }),
];

async function readMe(context: PlatformContext) {
  const { type, id } = actorOf(context);
  if (type === 'service_account') {
    const row = await context.db.first(findOwnServiceAccount, { id });
    return { user: null, serviceAccount: serviceAccountOf(row ?? notFound('Service account not found.')) };
  }
  const user = (await context.db.first(findUser, { id })) ?? notFound('User not found.');
  return {
    user: userOf(user),
    serviceAccount: null,
  };
}
