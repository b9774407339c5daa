/** Routes for the MCP clients that a person has signed in with the browser. */

import { actorOf } from '../../context/platform-context.ts';
import type { Position } from '../../database/rows.ts';
import { platformRoutes } from '../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../page.ts';
import { connectionOf, endConnection } from './operations.ts';
import { listConnections } from './queries.ts';
import { ConnectionList } from './schema.ts';

const { get, remove } = platformRoutes('Me', 'actor');

export const connectionRoutes = [
  get('/me/connections', 'listConnections', {
    summary: 'List the connected MCP clients of the caller',
    description:
      'The MCP clients that the person has signed in with the browser, each with the server that it may use, oldest first. The list has no tokens, because only their hashes are stored.',
    query: pageQuery,
    answers: ConnectionList,
    handler: ({ context, query }) => {
      const given = { user_id: actorOf(context).id, now: context.now };
      const read = (position: Position) => context.db.all(listConnections, { ...given, ...position });
      return readPage(query, 'ascending', read, connectionOf);
    },
  }),
  remove('/me/connections/{id}', 'endConnection', {
    summary: 'End the connection of an MCP client',
    description:
      'Ends the connection and revokes its tokens: the next request with one of them is refused, and open streams end. 404 for a connection of another person.',
    handler: ({ context, path }) => endConnection(context, path.id),
  }),
];
