import { actorOf } from '../../context/platform-context.ts';
import { organizations } from '../../database/workspaces.ts';
import { found } from '../../errors.ts';
import { organizationRoutes, platformRoutes } from '../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../page.ts';
import { changeOrganization, createOrganization, deleteOrganization, MISSING } from './operations.ts';
import { listOrganizationsOf, organizationOf, ownOrganizationOf } from './queries.ts';
import {
  Organization,
  OrganizationCreate,
  OrganizationUpdate,
  OwnOrganization,
  OwnOrganizationList,
} from './schema.ts';

const collection = '/organizations';
const { get, patch, remove } = organizationRoutes('Organizations', 'admin');
const platform = platformRoutes('Organizations', 'actor');

export const routesOfOrganizations = [
  ...(['/me/organizations', collection] as const).map((path) =>
    platform.get(path, path === collection ? 'listOrganizations' : 'listOwnOrganizations', {
      summary: 'List the organizations of the caller',
      description: 'The organizations of the caller, with the role in each, oldest first.',
      query: pageQuery,
      answers: OwnOrganizationList,
      handler: ({ context, query }) => {
        const actor_id = actorOf(context).id;
        const read = (position: { cursor: string; limit: number }) =>
          context.db.all(listOrganizationsOf, { actor_id, ...position });
        return readPage(query, 'ascending', read, ownOrganizationOf);
      },
    }),
  ),
  platform.post('/organizations', 'createOrganization', {
    summary: 'Create an organization',
    description:
      'The caller becomes its first administrator. The setting `SIGNALBOX_ORGANIZATION_CREATION` decides who may create organizations; a service account may not (403). 409 `slug_taken` when the slug is in use.',
    conflicts: ['slug_taken'],
    body: OrganizationCreate,
    answers: [201, OwnOrganization],
    handler: ({ context, body }) => createOrganization(context, body),
  }),
  get('', 'readOrganization', {
    summary: 'Read an organization',
    description: 'One organization, by id or slug.',
    access: 'organization:member',
    answers: Organization,
    handler: async ({ context }) =>
      organizationOf(found(await organizations.first(context.db, { id: context.organization.id }), MISSING)),
  }),
  patch('', 'updateOrganization', {
    summary: 'Update an organization',
    description:
      'Changes name, slug or the maximum age of API keys. A new slug changes the serving URLs of its servers. 409 `slug_taken` when the slug is in use.',
    conflicts: ['slug_taken'],
    body: OrganizationUpdate,
    answers: Organization,
    handler: ({ context, body }) => changeOrganization(context, body),
  }),
  remove('', 'deleteOrganization', {
    summary: 'Delete an organization',
    description:
      'Deletes the organization with its workspaces, servers, accounts and their contents. 409 `default_organization` for the one that owns the workspace behind `/api`.',
    conflicts: ['default_organization'],
    handler: ({ context }) => deleteOrganization(context),
  }),
];
