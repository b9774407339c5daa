import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { readInbox } from './read-inbox.ts';
import { InboxView, inboxQuery } from './schema.ts';

const { get } = organizationRoutes('Views', 'member');

export const inboxRoutes = [
  get('/views/inbox', 'readInboxView', {
    summary: 'Read what waits for the caller',
    description:
      'Requests for access, tools and invitations on which the caller can act, keys that expire soon, and the open causes of failed requests to MCP servers.',
    query: inboxQuery,
    answers: InboxView,
    handler: ({ context, query }) => readInbox(context, query.seconds),
  }),
];
