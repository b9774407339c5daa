/** Routes for the keys of service accounts. */
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
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
import { createServiceAccountKey, readServiceAccount, rollServiceAccountKey } from './operations.ts';

const { get, post, remove } = organizationRoutes('Service accounts', 'admin');

export const serviceAccountKeyRoutes = [
  get('/service-accounts/{id}/api-keys', 'listServiceAccountApiKeys', {
    summary: 'List the keys of a service account',
    description:
      'Active, expired and revoked keys, oldest first, with the time of their last use. The list has no secrets, because they are not stored.',
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
      'The keys of every service account of the organization, oldest first, with the account of each. `filter` selects keys that expire soon and unused ones. Personal keys belong to people and are not listed.',
    query: keyPageQuery,
    answers: OrganizationApiKeyList,
    handler: ({ context, query }) => listKeysOfOrganization(context, context.organization, query),
  }),
  post('/service-accounts/{id}/api-keys', 'createServiceAccountApiKey', {
    summary: 'Create a key of a service account',
    description:
      'Creates a key. An account may have two active keys, so that a key can be replaced without an interruption. Only this answer contains the secret. 409 `api_key_limit_reached` when there are two, with both in `activeKeys`. 422 for an expiry in the past, or later than the maximum key age of the organization.',
    conflicts: ['api_key_limit_reached'],
    body: ApiKeyCreate,
    answers: [201, ApiKeyCreated],
    handler: ({ context, path, body }) => createServiceAccountKey(context, path.id, body),
  }),
  post('/service-accounts/{id}/api-keys/{keyId}/roll', 'rollServiceAccountApiKey', {
    summary: 'Roll a key of a service account',
    description:
      'Creates a key that replaces the old one. Only this answer contains the secret. The old key continues to work for `endsInSeconds` and counts as active until then. 409 `api_key_limit_reached` when two keys are active: `activeKeys` lists both, and `revokeKeyId` revokes one of them with the roll. 409 `api_key_expired` for a key that has expired, `api_key_rolled` for one that was already rolled; 404 for one that is revoked.',
    conflicts: ['api_key_limit_reached', 'api_key_expired', 'api_key_rolled'],
    body: ApiKeyRoll,
    answers: [201, ApiKeyRolled],
    handler: ({ context, path, body }) => rollServiceAccountKey(context, path.id, path.keyId, body),
  }),
  remove('/service-accounts/{id}/api-keys/{keyId}', 'revokeServiceAccountApiKey', {
    summary: 'Revoke a key of a service account',
    description: 'Applies to every request that begins after the answer. 404 when the account has no such active key.',
    handler: async ({ context, path }) => {
      const owner = { type: 'service_account', id: path.id, organizationId: context.organization.id } as const;
      await readServiceAccount(context, path.id);
      await context.transaction((tx) => revokeApiKey(context, tx, owner, path.keyId));
    },
  }),
];
