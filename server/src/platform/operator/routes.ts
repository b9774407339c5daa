/** Routes that only the operator's own commands use; no server serves them. */
import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables/tables.ts';
import { REMOVED_WORKSPACES } from '../../database/workspaces.ts';
import { organizationRoutes, platformRoutes } from '../../http/routes/platform-routes.ts';
import { Shape, Type } from '../../schema/kinds.ts';
import { listKeysOf } from '../keys/api-keys/lists.ts';
import {
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyList,
  ApiKeyRoll,
  ApiKeyRolled,
  keyPageQuery,
} from '../keys/api-keys/schema.ts';
import { addServiceAccount } from '../keys/service-accounts/operations.ts';
import { ServiceAccount, ServiceAccountCreate } from '../keys/service-accounts/schema.ts';
import { addOrganization } from '../organizations/operations.ts';
import { organizationOf } from '../organizations/queries.ts';
import { Organization, OrganizationCreate } from '../organizations/schema.ts';
import { List, pageQuery, readPage } from '../page.ts';
import { listKeys, OwnedApiKey, revokeKeyById, rollKeyById } from './keys.ts';
import { createKey, userByAddress } from './operator.ts';

const { get, post, remove } = platformRoutes('Operator', 'actor');
const ofOrganization = organizationRoutes('Operator', 'admin');

const listOrganizations = platformStatement<{ cursor: string; limit: number }, Row<'organization'>>((query, given) =>
  query
    .selectFrom('organization')
    .selectAll()
    .where('id', '<>', REMOVED_WORKSPACES)
    .where('id', '>', given.cursor)
    .orderBy('id')
    .limit(given.limit),
);

function wholePage<Item>(items: readonly Item[]) {
  return { items, meta: { nextCursor: null, limit: items.length } };
}

export const operatorRoutes = [
  get('/organizations', 'listEveryOrganization', {
    summary: 'List all organizations',
    description: 'All organizations, oldest first.',
    query: pageQuery,
    answers: List('EveryOrganization', Organization),
    handler: ({ context, query }) =>
      readPage(query, 'ascending', (position) => context.db.all(listOrganizations, position), organizationOf),
  }),
  post('/organizations', 'createOrganizationFor', {
    summary: 'Create an organization',
    description: 'Creates an organization, with a person as its administrator if `admin` is an address.',
    body: Shape('OrganizationCreateFor', { ...OrganizationCreate.properties, admin: Type.Optional(Type.String()) }),
    answers: [201, Organization],
    handler: async ({ context, body: { admin, ...given } }) =>
      addOrganization(context, given, admin === undefined ? undefined : (await userByAddress(context.db, admin)).id),
  }),
  get('/api-keys', 'listEveryApiKey', {
    summary: 'List all keys',
    description: 'The keys of people and service accounts, oldest first.',
    query: keyPageQuery,
    answers: List('EveryApiKey', OwnedApiKey),
    handler: async ({ context, query }) => wholePage(await listKeys(context, query.filter)),
  }),
  post('/api-keys/{id}/roll', 'rollAnyApiKey', {
    summary: 'Roll a key',
    description: 'Creates a key that replaces the old one.',
    body: ApiKeyRoll,
    answers: [201, ApiKeyRolled],
    handler: ({ context, path, body }) => rollKeyById(context, path.id, body),
  }),
  remove('/api-keys/{id}', 'revokeAnyApiKey', {
    summary: 'Revoke a key',
    description: 'Applies to every request that begins after the answer.',
    handler: ({ context, path }) => revokeKeyById(context, path.id),
  }),
  get('/people/{email}/api-keys', 'listApiKeysOfPerson', {
    summary: 'List the keys of a person',
    description: 'Active, expired and revoked keys, oldest first.',
    query: keyPageQuery,
    answers: ApiKeyList,
    handler: async ({ context, path, query }) =>
      listKeysOf(context, (await userByAddress(context.db, path.email)).id, query, null),
  }),
  post('/people/{email}/api-keys', 'createApiKeyOfPerson', {
    summary: 'Create a key of a person',
    description: 'Only this answer contains the secret.',
    body: ApiKeyCreate,
    answers: [201, ApiKeyCreated],
    handler: ({ context, path, body }) => createKey(context, { user: path.email }, body),
  }),
  ofOrganization.post('/service-accounts', 'createServiceAccountWithoutKey', {
    summary: 'Create a service account',
    description: 'Creates an account without a key.',
    body: ServiceAccountCreate,
    answers: [201, Shape('ServiceAccountOnly', { serviceAccount: ServiceAccount }, 'ignore')],
    handler: async ({ context, body }) => ({
      serviceAccount: await context.transaction((tx) => addServiceAccount(context, tx, body)),
    }),
  }),
];
