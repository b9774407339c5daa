/** Routes for callers about themselves, and for their personal keys. */
import { Conflict, notFound } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { actorOf, type PlatformContext } from '../../platform-context.ts';
import { createPersonalKey, revokeApiKey } from '../api-keys/operations.ts';
import { apiKeyOf, listApiKeys } from '../api-keys/queries.ts';
import { ApiKeyCreate, ApiKeyCreated, ApiKeyList } from '../api-keys/schema.ts';
import { pageQuery, readPage } from '../page.ts';
import { findOwnServiceAccount, serviceAccountOf } from '../service-accounts/queries.ts';
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
      'Active and revoked keys of the person who asks, oldest first. Secrets are not stored, so none is listed.',
    tags,
    access: 'actor',
    query: pageQuery,
    responses: { 200: ApiKeyList },
    handler: async ({ context, query }) => {
      const owner_id = actorOf(context).id;
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listApiKeys, { owner_id, ...position });
      return ok(await readPage(query, 'ascending', read, apiKeyOf));
    },
  }),
  platformRoute({
    method: 'POST',
    path: keys,
    operationId: 'createPersonalApiKey',
    summary: 'Create a personal key',
    description:
      'Requires a session: a key cannot create keys. The secret is in this answer only. What the key may do is what its owner may do at each request.',
    tags,
    access: 'session',
    body: ApiKeyCreate,
    responses: { 201: ApiKeyCreated },
    handler: async ({ context, body }) => created(await createPersonalKey(context, body.descriptor)),
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
