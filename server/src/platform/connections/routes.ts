/** Routes for the MCP clients that a person has signed in with the browser. */
import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { actorOf } from '../../platform-context.ts';
import { pageQuery, readPage } from '../page.ts';
import { connectionOf, endConnection } from './operations.ts';
import { listConnections } from './queries.ts';
import { ConnectionList } from './schema.ts';

const tags = ['Me'];

export const connectionRoutes = [
  platformRoute({
    method: 'GET',
    path: '/me/connections',
    operationId: 'listConnections',
    summary: 'List the connected MCP clients of the caller',
    description:
      'The MCP clients that the person has signed in with the browser, each with the server that it may use, oldest first. Tokens are stored as hashes, so none is listed.',
    tags,
    access: 'actor',
    query: pageQuery,
    responses: { 200: ConnectionList },
    handler: async ({ context, query }) => {
      const given = { user_id: actorOf(context).id, now: context.now };
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listConnections, { ...given, ...position });
      return ok(await readPage(query, 'ascending', read, connectionOf));
    },
  }),
  platformRoute({
    method: 'DELETE',
    path: '/me/connections/{id}',
    operationId: 'endConnection',
    summary: 'End the connection of an MCP client',
    description:
      'Ends the connection and its tokens: the next request with one of them is refused, and open streams end. 404 for a connection of somebody else.',
    tags,
    access: 'actor',
    parameters: { id: 'uuid' },
    responses: { 204: null },
    handler: async ({ context, path }) => {
      await endConnection(context, path.id);
      return noContent;
    },
  }),
];
