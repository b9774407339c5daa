import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { namedPageQuery, readPage } from '../../page.ts';
import { changeMember, removeMember } from './operations.ts';
import { listMembers, memberOf } from './queries.ts';
import { Member, MemberList, MemberUpdate } from './schema.ts';

const { get, patch, remove } = organizationRoutes('Members', 'admin');

export const memberRoutes = [
  get('/members', 'listMembers', {
    summary: 'List members',
    description:
      'The people of the organization with their roles, one page at a time. `name` searches names and addresses.',
    access: 'organization:member',
    query: namedPageQuery,
    answers: MemberList,
    handler: ({ context, query }) => {
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listMembers, { organization_id: context.organization.id, text: query.name, ...position });
      return readPage(query, 'ascending', read, memberOf);
    },
  }),
  patch('/members/{userId}', 'updateMember', {
    summary: 'Change the role of a member',
    description:
      '`admin` administers the organization and has every role in it. The last administrator keeps the role: 409 `last_admin`.',
    conflicts: ['last_admin'],
    body: MemberUpdate,
    answers: Member,
    handler: ({ context, path, body }) => changeMember(context, path.userId, body),
  }),
  remove('/members/{userId}', 'removeMember', {
    summary: 'Remove a member',
    description:
      'Ends the membership and the grants of a person in this organization. The account stays. 409 `last_admin` for the last one.',
    conflicts: ['last_admin'],
    handler: ({ context, path }) => removeMember(context, path.userId),
  }),
];
