import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { listKeysOf, listKeysOfOrganization } from '../api-keys/lists.ts';
import { revokeApiKey } from '../api-keys/operations.ts';
import {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyList,
  ApiKeyRoll,
  ApiKeyRolled,
  keyPageQuery,
  OrganizationApiKeyList,
} from '../api-keys/schema.ts';
import { pageQuery, readPage } from '../page.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  createServiceAccountKey,
  deleteServiceAccount,
  readServiceAccount,
  rollServiceAccountKey,
  setServiceAccountState,
} from './operations.ts';
import { listServiceAccounts, serviceAccountOf } from './queries.ts';
import {
  ServiceAccount,
  ServiceAccountCreate,
  ServiceAccountCreated,
  ServiceAccountList,
  ServiceAccountUpdate,
} from './schema.ts';

const collection = '/organizations/{org}/service-accounts';
const one = `${collection}/{id}`;
const keys = `${one}/api-keys`;
const common = { tags: ['Service accounts'], access: 'organization:admin' } as const;
const ofCollection = { ...common, parameters: { org: 'text' } } as const;
const ofOne = { ...common, parameters: { org: 'text', id: 'uuid' } } as const;

export const serviceAccountRoutes = [
  platformRoute({
    ...ofCollection,
    method: 'GET',
    path: collection,
    operationId: 'listServiceAccounts',
    summary: 'List service accounts',
    description: 'The service accounts of the organization, active and suspended, oldest first.',
    query: pageQuery,
    responses: { 200: ServiceAccountList },
    handler: async ({ context, query }) =>
      ok(
        await readPage(
          query,
          'ascending',
          (position) => context.db.all(listServiceAccounts, { organization_id: context.organization.id, ...position }),
          serviceAccountOf,
        ),
      ),
  }),
  platformRoute({
    ...ofCollection,
    method: 'POST',
    path: collection,
    operationId: 'createServiceAccount',
    summary: 'Create a service account',
    description:
      'Makes an account for a program with its first key. The secret is in this answer only. 409 `name_taken` when the name is in use.',
    conflicts: ['name_taken'],
    body: ServiceAccountCreate,
    responses: { 201: ServiceAccountCreated },
    handler: async ({ context, body }) => created(await createServiceAccount(context, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readServiceAccount',
    summary: 'Read a service account',
    description: 'One service account by id. 404 for one that is deleted or of another organization.',
    responses: { 200: ServiceAccount },
    handler: async ({ context, path }) => ok(await readServiceAccount(context, path.id)),
  }),
  platformRoute({
    ...ofOne,
    method: 'PATCH',
    path: one,
    operationId: 'updateServiceAccount',
    summary: 'Update a service account',
    description:
      'Changes name, description or role; fields that are left out stay. 409 `name_taken` when the name is in use.',
    conflicts: ['name_taken'],
    body: ServiceAccountUpdate,
    responses: { 200: ServiceAccount },
    handler: async ({ context, path, body }) => ok(await changeServiceAccount(context, path.id, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'deleteServiceAccount',
    summary: 'Delete a service account',
    description:
      'Its keys stop working at the next request, and its grants end. Its name can be used again. The audit log keeps its entries.',
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await deleteServiceAccount(context, path.id);
      return noContent;
    },
  }),
  ...(['suspend', 'resume'] as const).map((verb) =>
    platformRoute({
      ...ofOne,
      method: 'POST',
      path: `${one}/${verb}`,
      operationId: `${verb}ServiceAccount`,
      summary: verb === 'suspend' ? 'Suspend a service account' : 'Resume a service account',
      description:
        verb === 'suspend'
          ? 'Its keys do not work until it is resumed. Keys and grants stay as they are.'
          : 'Its keys and grants work again, as they were before it was suspended.',
      responses: { 200: ServiceAccount },
      handler: async ({ context, path }) =>
        ok(await setServiceAccountState(context, path.id, verb === 'suspend' ? 'suspended' : 'active')),
    }),
  ),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: keys,
    operationId: 'listServiceAccountApiKeys',
    summary: 'List the keys of a service account',
    description:
      'Active, expired and revoked keys, oldest first, with when each was last used. Secrets are not stored, so none is listed.',
    query: keyPageQuery,
    responses: { 200: ApiKeyList },
    handler: async ({ context, path, query }) => {
      await readServiceAccount(context, path.id);
      return ok(await listKeysOf(context, path.id, query, context.organization.max_key_age_days));
    },
  }),
  platformRoute({
    ...ofCollection,
    method: 'GET',
    path: '/organizations/{org}/api-keys',
    operationId: 'listOrganizationApiKeys',
    summary: 'List the keys of all service accounts',
    description:
      'The keys of every service account of the organization, oldest first, with the account of each. `filter` finds those that end soon and those that nobody uses. Personal keys belong to people, so they are not listed.',
    query: keyPageQuery,
    responses: { 200: OrganizationApiKeyList },
    handler: async ({ context, query }) => ok(await listKeysOfOrganization(context, context.organization, query)),
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: keys,
    operationId: 'createServiceAccountApiKey',
    summary: 'Create a key of a service account',
    description:
      'One more key, of at most two active ones, so that a key can be replaced without a pause. The secret is in this answer only. 409 `api_key_limit_reached` when there are two, with both in `activeKeys`. 422 for an expiry that is past, or later than the greatest key age of the organization.',
    conflicts: ['api_key_limit_reached'],
    body: ApiKeyCreate,
    responses: { 201: ApiKeyCreated },
    handler: async ({ context, path, body }) => created(await createServiceAccountKey(context, path.id, body)),
  }),
  platformRoute({
    ...common,
    method: 'POST',
    path: `${keys}/{keyId}/roll`,
    operationId: 'rollServiceAccountApiKey',
    summary: 'Roll a key of a service account',
    description:
      'Makes a key in its place. The secret is in this answer only. The old key works for `endsInSeconds` more and counts as active until then. 409 `api_key_limit_reached` when two keys are active: it names both in `activeKeys`, and `revokeKeyId` ends one of them with the roll. 409 `api_key_expired` for a key that has expired, `api_key_rolled` for one that was rolled before; 404 for one that is revoked.',
    conflicts: ['api_key_limit_reached', 'api_key_expired', 'api_key_rolled'],
    parameters: { org: 'text', id: 'uuid', keyId: 'uuid' },
    body: ApiKeyRoll,
    responses: { 201: ApiKeyRolled },
    handler: async ({ context, path, body }) =>
      created(await rollServiceAccountKey(context, path.id, path.keyId, body)),
  }),
  platformRoute({
    ...common,
    method: 'DELETE',
    path: `${keys}/{keyId}`,
    operationId: 'revokeServiceAccountApiKey',
    summary: 'Revoke a key of a service account',
    description:
      'In force for every request that begins after the answer. 404 when the account has no such active key.',
    parameters: { org: 'text', id: 'uuid', keyId: 'uuid' },
    responses: { 204: null },
    handler: async ({ context, path }) => {
      const owner = { type: 'service_account', id: path.id, organizationId: context.organization.id } as const;
      await readServiceAccount(context, path.id);
      await context.transaction((tx) => revokeApiKey(context, tx, owner, path.keyId));
      return noContent;
    },
  }),
];
