import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../../page.ts';
import { listKeysOf, listKeysOfOrganization } from '../keys/lists.ts';
import { revokeApiKey } from '../keys/operations.ts';
import {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyList,
  ApiKeyRoll,
  ApiKeyRolled,
  keyPageQuery,
  OrganizationApiKeyList,
} from '../keys/schema.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  createServiceAccountKey,
  deleteServiceAccount,
  readServiceAccount,
  rollServiceAccountKey,
  setServiceAccountState,
} from './operations.ts';
import { serviceAccountOf, serviceAccounts } from './queries.ts';
import {
  ServiceAccount,
  ServiceAccountCreate,
  ServiceAccountCreated,
  ServiceAccountList,
  ServiceAccountUpdate,
} from './schema.ts';

const { get, post, patch, remove } = organizationRoutes('Service accounts', 'admin');

export const serviceAccountRoutes = [
  get('/service-accounts', 'listServiceAccounts', {
    summary: 'List service accounts',
    description: 'The service accounts of the organization, active and suspended, oldest first.',
    query: pageQuery,
    answers: ServiceAccountList,
    handler: ({ context, query }) =>
      readPage(
        query,
        'ascending',
        (position) => serviceAccounts.page(context.db, { organization_id: context.organization.id }, position),
        serviceAccountOf,
      ),
  }),
  post('/service-accounts', 'createServiceAccount', {
    summary: 'Create a service account',
    description:
      'Makes an account for a program with its first key. The secret is in this answer only. 409 `name_taken` when the name is in use.',
    conflicts: ['name_taken'],
    body: ServiceAccountCreate,
    answers: [201, ServiceAccountCreated],
    handler: ({ context, body }) => createServiceAccount(context, body),
  }),
  get('/service-accounts/{id}', 'readServiceAccount', {
    summary: 'Read a service account',
    description: 'One service account by id. 404 for one that is deleted or of another organization.',
    answers: ServiceAccount,
    handler: ({ context, path }) => readServiceAccount(context, path.id),
  }),
  patch('/service-accounts/{id}', 'updateServiceAccount', {
    summary: 'Update a service account',
    description:
      'Changes name, description or role; fields that are left out stay. 409 `name_taken` when the name is in use.',
    conflicts: ['name_taken'],
    body: ServiceAccountUpdate,
    answers: ServiceAccount,
    handler: ({ context, path, body }) => changeServiceAccount(context, path.id, body),
  }),
  remove('/service-accounts/{id}', 'deleteServiceAccount', {
    summary: 'Delete a service account',
    description:
      'Its keys stop working at the next request, and its grants end. Its name can be used again. The audit log keeps its entries.',
    handler: ({ context, path }) => deleteServiceAccount(context, path.id),
  }),
  ...(['suspend', 'resume'] as const).map((verb) =>
    post(`/service-accounts/{id}/${verb}`, `${verb}ServiceAccount`, {
      summary: verb === 'suspend' ? 'Suspend a service account' : 'Resume a service account',
      description:
        verb === 'suspend'
          ? 'Its keys do not work until it is resumed. Keys and grants stay as they are.'
          : 'Its keys and grants work again, as they were before it was suspended.',
      answers: ServiceAccount,
      handler: ({ context, path }) =>
        setServiceAccountState(context, path.id, verb === 'suspend' ? 'suspended' : 'active'),
    }),
  ),
  get('/service-accounts/{id}/api-keys', 'listServiceAccountApiKeys', {
    summary: 'List the keys of a service account',
    description:
      'Active, expired and revoked keys, oldest first, with when each was last used. Secrets are not stored, so none is listed.',
    query: keyPageQuery,
    answers: ApiKeyList,
    handler: async ({ context, path, query }) => {
      await readServiceAccount(context, path.id);
      return listKeysOf(context, path.id, query, context.organization.max_key_age_days);
    },
  }),
  get('/api-keys', 'listOrganizationApiKeys', {
    summary: 'List the keys of all service accounts',
    description:
      'The keys of every service account of the organization, oldest first, with the account of each. `filter` finds those that end soon and those that nobody uses. Personal keys belong to people, so they are not listed.',
    query: keyPageQuery,
    answers: OrganizationApiKeyList,
    handler: ({ context, query }) => listKeysOfOrganization(context, context.organization, query),
  }),
  post('/service-accounts/{id}/api-keys', 'createServiceAccountApiKey', {
    summary: 'Create a key of a service account',
    description:
      'One more key, of at most two active ones, so that a key can be replaced without a pause. The secret is in this answer only. 409 `api_key_limit_reached` when there are two, with both in `activeKeys`. 422 for an expiry that is past, or later than the greatest key age of the organization.',
    conflicts: ['api_key_limit_reached'],
    body: ApiKeyCreate,
    answers: [201, ApiKeyCreated],
    handler: ({ context, path, body }) => createServiceAccountKey(context, path.id, body),
  }),
  post('/service-accounts/{id}/api-keys/{keyId}/roll', 'rollServiceAccountApiKey', {
    summary: 'Roll a key of a service account',
    description:
      'Makes a key in its place. The secret is in this answer only. The old key works for `endsInSeconds` more and counts as active until then. 409 `api_key_limit_reached` when two keys are active: it names both in `activeKeys`, and `revokeKeyId` ends one of them with the roll. 409 `api_key_expired` for a key that has expired, `api_key_rolled` for one that was rolled before; 404 for one that is revoked.',
    conflicts: ['api_key_limit_reached', 'api_key_expired', 'api_key_rolled'],
    body: ApiKeyRoll,
    answers: [201, ApiKeyRolled],
    handler: ({ context, path, body }) => rollServiceAccountKey(context, path.id, path.keyId, body),
  }),
  remove('/service-accounts/{id}/api-keys/{keyId}', 'revokeServiceAccountApiKey', {
    summary: 'Revoke a key of a service account',
    description:
      'In force for every request that begins after the answer. 404 when the account has no such active key.',
    handler: async ({ context, path }) => {
      const owner = { type: 'service_account', id: path.id, organizationId: context.organization.id } as const;
      await readServiceAccount(context, path.id);
      await context.transaction((tx) => revokeApiKey(context, tx, owner, path.keyId));
    },
  }),
];
