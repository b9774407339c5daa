import { notFound } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { created, noContent, ok } from '../../http/route.ts';
import { actorOf } from '../../platform-context.ts';
import { pageQuery, readPage } from '../page.ts';
import { changeOrganization, createOrganization, deleteOrganization } from './operations.ts';
import { findOrganization, listOrganizationsOf, organizationOf, ownOrganizationOf } from './queries.ts';
import {
  Organization,
  OrganizationCreate,
  OrganizationUpdate,
  OwnOrganization,
  OwnOrganizationList,
} from './schema.ts';

const collection = '/organizations';
const one = `${collection}/{org}`;
const tags = ['Organizations'];
const parameters = { org: 'text' } as const;

export const organizationRoutes = [
  ...(['/me/organizations', collection] as const).map((path) =>
    platformRoute({
      method: 'GET',
      path,
      operationId: path === collection ? 'listOrganizations' : 'listOwnOrganizations',
      summary: 'List the organizations of the caller',
      description: 'The organizations that the caller belongs to, with the role in each, oldest first.',
      tags,
      access: 'actor',
      query: pageQuery,
      responses: { 200: OwnOrganizationList },
      handler: async ({ context, query }) => {
        const actor_id = actorOf(context).id;
        const read = (position: { cursor: string; limit: number }) =>
          context.db.all(listOrganizationsOf, { actor_id, ...position });
        return ok(await readPage(query, 'ascending', read, ownOrganizationOf));
      },
    }),
  ),
  platformRoute({
    method: 'POST',
    path: collection,
    operationId: 'createOrganization',
    summary: 'Create an organization',
    description:
      'The caller becomes its first administrator. A setting decides who may (`SIGNALBOX_ORGANIZATION_CREATION`); a service account may not (403). 409 `slug_taken` when the slug is in use.',
    conflicts: ['slug_taken'],
    tags,
    access: 'actor',
    body: OrganizationCreate,
    responses: { 201: OwnOrganization },
    handler: async ({ context, body }) => created(await createOrganization(context, body)),
  }),
  platformRoute({
    method: 'GET',
    path: one,
    operationId: 'readOrganization',
    summary: 'Read an organization',
    description: 'One organization, by id or slug.',
    tags,
    access: 'organization:member',
    parameters,
    responses: { 200: Organization },
    handler: async ({ context }) => {
      const row = await context.db.first(findOrganization, { id: context.organization.id });
      return ok(organizationOf(row ?? notFound('Organization not found.')));
    },
  }),
  platformRoute({
    method: 'PATCH',
    path: one,
    operationId: 'updateOrganization',
    summary: 'Update an organization',
    description:
      'Changes name, slug or the greatest age of API keys; a new slug changes the serving URLs of its servers. 409 `slug_taken` when it is in use.',
    conflicts: ['slug_taken'],
    tags,
    access: 'organization:admin',
    parameters,
    body: OrganizationUpdate,
    responses: { 200: Organization },
    handler: async ({ context, body }) => ok(await changeOrganization(context, body)),
  }),
  platformRoute({
    method: 'DELETE',
    path: one,
    operationId: 'deleteOrganization',
    summary: 'Delete an organization',
    description:
      'Deletes it with its workspaces, servers, accounts and all that is in them. The one that owns the workspace behind `/api` stays: 409 `default_organization`.',
    conflicts: ['default_organization'],
    tags,
    access: 'organization:admin',
    parameters,
    responses: { 204: null },
    handler: async ({ context }) => {
      await deleteOrganization(context);
      return noContent;
    },
  }),
];
