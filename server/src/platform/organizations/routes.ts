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
      tags,
      summary: 'The organizations that the caller belongs to, with the role in each, oldest first.',
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
    conflicts: ['slug_taken'],
    tags,
    summary:
      'Makes an organization; the caller is its first administrator. Who may is a setting (SIGNALBOX_ORGANIZATION_CREATION).',
    access: 'actor',
    body: OrganizationCreate,
    responses: { 201: OwnOrganization },
    handler: async ({ context, body }) => created(await createOrganization(context, body)),
  }),
  platformRoute({
    method: 'GET',
    path: one,
    operationId: 'readOrganization',
    tags,
    summary: 'One organization, by id or slug.',
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
    conflicts: ['slug_taken'],
    tags,
    summary: 'Changes name or slug.',
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
    conflicts: ['default_organization'],
    tags,
    summary: 'Deletes the organization with its workspaces and all that is in them.',
    access: 'organization:admin',
    parameters,
    responses: { 204: null },
    handler: async ({ context }) => {
      await deleteOrganization(context);
      return noContent;
    },
  }),
];
