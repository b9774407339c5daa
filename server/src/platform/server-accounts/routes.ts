/** Routes for the accounts that people have at servers behind the gateway. */
import { ValidationFailed } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { noContent, ok } from '../../http/route.ts';
import { actorOf } from '../../platform-context.ts';
import { pageQuery, readPage } from '../page.ts';
import { seeServer } from '../servers/access.ts';
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

const path = '/organizations/{org}/servers/{server}/account';
/** Those of all people. */
const ofAll = '/organizations/{org}/servers/{server}/accounts';
const ofOne = {
  tags: ['Servers'],
  access: 'organization:member',
  parameters: { org: 'text', server: 'text' },
} as const;

export const serverAccountRoutes = [
  platformRoute({
    ...ofOne,
    method: 'GET',
    path,
    operationId: 'readServerAccount',
    summary: "Read the caller's account at a server",
    description:
      'Whether the caller has connected the account that the gateway uses there in their name. 404 for a server at which people use no accounts of their own.',
    responses: { 200: ServerAccount },
    handler: async ({ context, path }) => {
      const { row } = await seeServer(context, path.server, 'viewer');
      return ok(await readAccount(context, row));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'PUT',
    path,
    operationId: 'connectServerAccount',
    summary: "Enter the caller's key for a server",
    description:
      'Stores the key that the server gave the person, encrypted, in place of the one before. Only for people who have signed in with a browser. 422 for a server at which people sign in: that takes a page, `connectUrl`.',
    body: ServerAccountPut,
    responses: { 200: ServerAccount },
    handler: async ({ context, path, body }) => {
      const seen = await seeServer(context, path.server, 'viewer');
      checkPerson(context);
      if (settingsOf(seen.row).kind !== 'key') {
        const msg = 'People sign in at this server. Open the page in `connectUrl` instead.';
        throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'key'], msg }]);
      }
      await connectAccount(context, seen, { kind: 'key', key: body.key });
      return ok(await readAccount(context, seen.row));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path,
    operationId: 'disconnectServerAccount',
    summary: "Disconnect the caller's account at a server",
    description:
      'The next request to the server is refused, and streams end. Tokens of a sign-in are revoked there too, where that server can do it.',
    responses: { 204: null },
    handler: async ({ context, path }) => {
      const { row } = await seeServer(context, path.server, 'viewer');
      await disconnectAccount(context, row, context.caller.actor.id);
      return noContent;
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'GET',
    path: ofAll,
    operationId: 'listAccountsAtServer',
    summary: 'List the accounts of people at a server',
    description:
      'Who has connected an account of their own there, oldest first, without their secrets. For administrators of the server.',
    query: pageQuery,
    responses: { 200: ConnectedAccountList },
    handler: async ({ context, path, query }) => {
      const { row } = await seeServer(context, path.server, 'admin');
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listAccountsAt, { server_id: row.id, ...position });
      return ok(await readPage(query, 'ascending', read, connectedAccountOf));
    },
  }),
  platformRoute({
    ...ofOne,
    method: 'DELETE',
    path: `${ofAll}/{userId}`,
    parameters: { ...ofOne.parameters, userId: 'uuid' },
    operationId: 'endAccountAtServer',
    summary: "End a person's account at a server",
    description:
      'As if the person had disconnected it: the next request is refused until they connect again. For administrators of the server.',
    responses: { 204: null },
    handler: async ({ context, path }) => {
      const { row } = await seeServer(context, path.server, 'admin');
      await disconnectAccount(context, row, path.userId);
      return noContent;
    },
  }),
  platformRoute({
    method: 'GET',
    path: '/me/server-accounts',
    operationId: 'listServerAccounts',
    summary: 'List the accounts of the caller at MCP servers',
    description: 'The accounts that the caller has connected, oldest first, without their secrets.',
    tags: ['Me'],
    access: 'actor',
    query: pageQuery,
    responses: { 200: OwnServerAccountList },
    handler: async ({ context, query }) => {
      const { id: user_id } = actorOf(context);
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listAccounts, { user_id, ...position });
      return ok(await readPage(query, 'ascending', read, (row) => ownAccountOf(row, context.origin)));
    },
  }),
];
