/** Routes of the accounts that people have at servers behind the gateway. */

import { actorOf } from '../../../context/platform-context.ts';
import type { Position } from '../../../database/rows.ts';
import { ValidationFailed } from '../../../errors.ts';
import { organizationRoutes, platformRoutes } from '../../../http/routes/platform-routes.ts';
import { pageQuery, readPage } from '../../page.ts';
import { seeServer } from '../server/access.ts';
import {
  checkPerson,
  connectAccount,
  connectedAccountOf,
  disconnectAccount,
  ownAccountOf,
  readAccount,
  settingsOf,
} from './operations.ts';
import { listAccounts, listAccountsAt } from './queries.ts';
import { ConnectedAccountList, OwnServerAccountList, ServerAccount, ServerAccountPut } from './schema.ts';

/** Routes of the accounts of all people. */

const { get, put, remove } = organizationRoutes('Servers', 'member');
const platform = platformRoutes('Servers', 'actor');

export const serverAccountRoutes = [
  get('/servers/{server}/account', 'readServerAccount', {
    summary: "Read the caller's account at a server",
    description:
      'Whether the caller has connected the account that the gateway uses at the server on their behalf. 404 for a server where people do not use their own accounts.',
    answers: ServerAccount,
    handler: async ({ context, path }) => {
      const { row } = await seeServer(context, path.server, 'viewer');
      return readAccount(context, row);
    },
  }),
  put('/servers/{server}/account', 'connectServerAccount', {
    summary: "Enter the caller's key for a server",
    description:
      "Stores the person's key for the server, encrypted, and replaces the previous one. Only for people who have signed in with a browser. 422 for a server at which people sign in: they use the page `connectUrl`.",
    body: ServerAccountPut,
    answers: ServerAccount,
    handler: async ({ context, path, body }) => {
      const seen = await seeServer(context, path.server, 'viewer');
      checkPerson(context);
      if (settingsOf(seen.row).kind !== 'key') {
        const msg = 'People sign in at this server. Open the page in `connectUrl` instead.';
        throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'key'], msg }]);
      }
      await connectAccount(context, seen, { kind: 'key', key: body.key });
      return readAccount(context, seen.row);
    },
  }),
  remove('/servers/{server}/account', 'disconnectServerAccount', {
    summary: "Disconnect the caller's account at a server",
    description:
      'The next request to the server is refused, and streams end. Tokens of a sign-in are also revoked at that server, if it supports that.',
    handler: async ({ context, path }) => {
      const { row } = await seeServer(context, path.server, 'viewer');
      await disconnectAccount(context, row, context.caller.actor.id);
    },
  }),
  get('/servers/{server}/accounts', 'listAccountsAtServer', {
    summary: 'List the accounts of people at a server',
    description:
      'The people who have connected their own account at the server, oldest first, without their secrets. For administrators of the server.',
    query: pageQuery,
    answers: ConnectedAccountList,
    handler: async ({ context, path, query }) => {
      const { row } = await seeServer(context, path.server, 'admin');
      const read = (position: Position) => context.db.all(listAccountsAt, { server_id: row.id, ...position });
      return readPage(query, 'ascending', read, connectedAccountOf);
    },
  }),
  remove('/servers/{server}/accounts/{userId}', 'endAccountAtServer', {
    summary: "End a person's account at a server",
    description:
      'Disconnects the account for the person: the next request is refused until they connect again. For administrators of the server.',
    handler: async ({ context, path }) => {
      const { row } = await seeServer(context, path.server, 'admin');
      await disconnectAccount(context, row, path.userId);
    },
  }),
  platform.get('/me/server-accounts', 'listServerAccounts', {
    summary: 'List the accounts of the caller at MCP servers',
    description: 'The accounts that the caller has connected, oldest first, without their secrets.',
    tags: ['Me'],
    query: pageQuery,
    answers: OwnServerAccountList,
    handler: ({ context, query }) => {
      const { id: user_id } = actorOf(context);
      const read = (position: Position) => context.db.all(listAccounts, { user_id, ...position });
      return readPage(query, 'ascending', read, (row) => ownAccountOf(row, context.origin));
    },
  }),
];
