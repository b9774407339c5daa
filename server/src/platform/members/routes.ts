import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { namedPageQuery, readPage } from '../page.ts';
import { changeMember, removeMember } from './operations.ts';
import { listMembers, memberOf } from './queries.ts';
import { Member, MemberList, MemberUpdate } from './schema.ts';

const collection = '/organizations/{org}/members';
const one = `${collection}/{userId}`;
const tags = ['Members'];
const ofOne = { tags, access: 'organization:admin', parameters: { org: 'text', userId: 'uuid' } } as const;

export const memberRoutes = [
  platformRoute({
    method: 'GET',
    path: collection,
    operationId: 'listMembers',
    summary: 'List members',
    description:
      'The people of the organization with their roles, one page at a time. `name` finds names and addresses.',
    tags,
    access: 'organization:member',
    parameters: { org: 'text' },
    query: namedPageQuery,
    responses: { 200: MemberList },
    handler: async ({ context, query }) => {
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listMembers, { organization_id: context.organization.id, text: query.name, ...position });
      return ok(await readPage(query, 'ascending', read, memberOf));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'PATCH',
    path: one,
    operationId: 'updateMember',
    summary: 'Change the role of a member',
    description:
      '`admin` administers the organization and has every role in it. The last administrator keeps the role: 409 `last_admin`.',
    conflicts: ['last_admin'],
    body: MemberUpdate,
    responses: { 200: Member },
    handler: async ({ context, path, body }) => ok(await changeMember(context, path.userId, body)),
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: one,
    operationId: 'removeMember',
    summary: 'Remove a member',
    description:
      'Ends the membership and the grants of a person in this organization. The account stays. 409 `last_admin` for the last one.',
    conflicts: ['last_admin'],
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await removeMember(context, path.userId);
      return noContent;
    },
  }),
];
