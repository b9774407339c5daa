/** The resources of people and organizations, below `/api/v0`, and of the routes that the Prefect CLI calls there. */
import { notFound, nothing, platformError, type Resource, resource } from './resource.ts';

const ORG = '/organizations/{org}';
const SERVER = `${ORG}/servers/{server}`;
const ID = '00000000-0000-4000-8000-000000000000';

const of = (name: string, address: string, sentence: string, more?: Parameters<typeof resource>[3]) =>
  resource(name, [address], notFound(sentence), more);

/** Refuses a second object of the name, and a change of another's name to it. */
const unique = (field: string, message: string) => {
  const taken = platformError(409, `${field}_taken`, message);
  return { field, taken, renamed: taken };
};

const grantOf = (name: string, address: string): Resource =>
  of(`grant of a ${name}`, `${address}/grants/{actorId}`, 'Grant not found.', {
    otherwise: {
      [`PUT ${address}/grants/{actorId}`]: notFound('The organization has no such member or service account.'),
    },
    madeElsewhere: 'for an actor who exists',
  });

export const organizationResources: readonly Resource[] = [
  // A stranger does not learn which organizations exist.
  resource(
    'organization',
    [ORG, '/accounts/{org}'],
    platformError(403, 'forbidden', 'You are not a member of this organization.'),
    {
      changes: {
        create: 'POST /organizations',
        body: (slug) => ({ name: slug, slug }),
        updates: [['PATCH', { name: 'New' }]],
        unique: unique('slug', 'The slug "{taken}" is taken.'),
        recorded: 'organization',
      },
    },
  ),
  of('member', `${ORG}/members/{userId}`, 'Member not found.', { madeElsewhere: 'by accepting an invitation' }),
  of('user', '/users/{userId}', 'There is no such user.', { caller: 'operator' }),
  of('API key of a person', '/me/api-keys/{keyId}', 'API key not found.', {
    madeElsewhere: 'by who has signed in',
    otherwise: {
      'POST /me/api-keys/{keyId}/roll': platformError(
        403,
        'forbidden',
        'Only a person who is signed in may do this. An API key is not enough.',
      ),
    },
  }),
  of('connection of a client', '/me/connections/{id}', 'Connection not found.', {
    madeElsewhere: 'by signing in to it',
  }),
  of('service account', `${ORG}/service-accounts/{id}`, 'Service account not found.', {
    changes: {
      create: `POST ${ORG}/service-accounts`,
      body: (name) => ({ name }),
      madeAs: 'serviceAccount',
      updates: [['PATCH', { description: 'new' }]],
      unique: unique('name', 'The organization already has a service account named "{taken}".'),
      recorded: {
        created: ['service_account.create', 'api_key.create'],
        updated: ['service_account.update'],
        deleted: ['service_account.delete'],
      },
    },
  }),
  of('API key of a service account', `${ORG}/service-accounts/{id}/api-keys/{keyId}`, 'API key not found.', {
    changes: {
      create: `POST ${ORG}/service-accounts/{id}/api-keys`,
      body: (descriptor) => ({ descriptor }),
      madeAs: 'apiKey',
      seenIn: `${ORG}/service-accounts/{id}/api-keys`,
      recorded: {
        ...nothing,
        created: ['api_key.create of service_account'],
        deleted: ['api_key.revoke of service_account'],
      },
    },
  }),
  of('workspace', `${ORG}/workspaces/{id}`, 'Workspace not found.', {
    changes: {
      create: `POST ${ORG}/workspaces`,
      body: (handle) => ({ name: handle, handle }),
      updates: [['PATCH', { description: 'new' }]],
      unique: unique('handle', 'The organization already has a workspace with the handle "{taken}".'),
      recorded: 'workspace',
    },
  }),
  grantOf('workspace', `${ORG}/workspaces/{id}`),
  resource(
    'server',
    [SERVER, `${ORG}/views/servers/{server}`, `${ORG}/catalog/{server}`],
    notFound('Server not found.'),
    {
      asked: {
        [`PUT ${SERVER}/policy`]: { body: { rules: [] } },
        [`POST ${SERVER}/policy/preview`]: { body: { rules: [] } },
        [`GET ${SERVER}/access-preview`]: { query: `actorId=${ID}` },
        [`GET ${SERVER}/usage`]: { query: 'groupBy=day' },
        [`POST ${SERVER}/uploads`]: { body: { sizeBytes: 1, checksumSha256: '0'.repeat(64) } },
        [`POST ${SERVER}/deployments`]: { body: { buildId: ID } },
      },
      changes: {
        create: `POST ${ORG}/servers`,
        body: (slug) => ({ name: slug, slug, kind: 'hosted' }),
        updates: [['PATCH', { description: 'new' }]],
        unique: unique('slug', 'The organization already has a server with the slug "{taken}".'),
        recorded: 'server',
      },
    },
  ),
  grantOf('server', SERVER),
  of('account at a server', `${SERVER}/accounts/{userId}`, 'This person has no account connected here.', {
    madeElsewhere: 'by connecting it in a browser',
  }),
  of('request for access', `${ORG}/access-requests/{id}`, 'Request not found.', {
    madeElsewhere: 'by a member without a role',
  }),
  of('recorded request', `${SERVER}/requests/{id}`, 'Request not found.'),
  of('cause of failed requests', `${ORG}/server-failure-causes/{id}`, 'Failure cause not found.'),
  of('session with a server', `${SERVER}/sessions/{id}`, 'Session not found.'),
  of('environment variable', `${SERVER}/environment/{name}`, 'Variable not found.', {
    changes: {
      create: `PUT ${SERVER}/environment/{name}`,
      body: () => ({ value: 'x', sensitive: false }),
      recorded: {
        ...nothing,
        created: ['server.environment.set of server'],
        deleted: ['server.environment.delete of server'],
      },
    },
  }),
  of('build', `${SERVER}/builds/{id}`, 'Build not found.'),
  of('upload', `${SERVER}/uploads/{id}`, 'Upload not found.'),
  of('deployment of a server', `${SERVER}/deployments/{id}`, 'Deployment not found.'),
  of('invitation', `${ORG}/invitations/{id}`, 'Invitation not found.', {
    changes: {
      create: `POST ${ORG}/invitations`,
      body: (name) => ({ email: `contract-${name}@example.com` }),
      madeAs: 'invitation',
      seenIn: `${ORG}/invitations`,
      recorded: { ...nothing, created: ['invitation.create'], deleted: ['invitation.revoke'] },
    },
  }),
];
