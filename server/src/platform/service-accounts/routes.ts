import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { revokeApiKey } from '../api-keys/operations.ts';
import { apiKeyOf, listApiKeys } from '../api-keys/queries.ts';
import { ApiKeyCreate, ApiKeyCreated, ApiKeyList } from '../api-keys/schema.ts';
import { pageQuery, readPage } from '../page.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  createServiceAccountKey,
  deleteServiceAccount,
  readServiceAccount,
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
    summary: 'The service accounts of the organization, oldest first.',
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
    conflicts: ['name_taken'],
    summary: 'Makes a service account with its first key; the secret is in this answer and nowhere else.',
    body: ServiceAccountCreate,
    responses: { 201: ServiceAccountCreated },
    handler: async ({ context, body }) => created(await createServiceAccount(context, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: one,
    operationId: 'readServiceAccount',
    summary: 'One service account.',
    responses: { 200: ServiceAccount },
    handler: async ({ context, path }) => ok(await readServiceAccount(context, path.id)),
  }),
  platformRoute({
    ...ofOne,
    method: 'PATCH',
    path: one,
    operationId: 'updateServiceAccount',
    conflicts: ['name_taken'],
    summary: 'Changes name, description or role.',
    body: ServiceAccountUpdate,
    responses: { 200: ServiceAccount },
    handler: async ({ context, path, body }) => ok(await changeServiceAccount(context, path.id, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'deleteServiceAccount',
    summary: 'Deletes it: its keys open nothing from now on, and its grants end.',
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
      summary: verb === 'suspend' ? 'Its keys open nothing until it is resumed.' : 'Its keys work again.',
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
    summary: 'Its keys, active and revoked, oldest first.',
    query: pageQuery,
    responses: { 200: ApiKeyList },
    handler: async ({ context, path, query }) => {
      await readServiceAccount(context, path.id);
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listApiKeys, { owner_id: path.id, ...position });
      return ok(await readPage(query, 'ascending', read, apiKeyOf));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'POST',
    path: keys,
    operationId: 'createServiceAccountApiKey',
    conflicts: ['api_key_limit_reached'],
    summary: 'One more key, of at most two active ones; the secret is in this answer and nowhere else.',
    body: ApiKeyCreate,
    responses: { 201: ApiKeyCreated },
    handler: async ({ context, path, body }) =>
      created(await createServiceAccountKey(context, path.id, body.descriptor)),
  }),
  platformRoute({
    ...common,
    method: 'DELETE',
    path: `${keys}/{keyId}`,
    operationId: 'revokeServiceAccountApiKey',
    summary: 'Revokes a key, in force for every request that begins after the answer.',
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
