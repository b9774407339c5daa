/** The gateway's records of requests: to one server for its editors, to all servers for administrators. */
import { NotFound } from '../../errors.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { ok } from '../../http/route.ts';
import { readPage } from '../page.ts';
import { serverFor } from '../servers/access.ts';
import { checkSpan } from './filter.ts';
import { readHistogram } from './histogram.ts';
import { findRequest, listRequests, requestOf } from './queries.ts';
import {
  clientsQuery,
  Histogram,
  histogramQuery,
  listQuery,
  ServerClientList,
  ServerRequest,
  ServerRequestList,
  ServerSession,
  ServerSessionList,
  sessionsQuery,
  Usage,
  usageQuery,
} from './schema.ts';
import { findSession, listSessions, sessionOf } from './sessions.ts';
import { readClients, readUsage } from './usage.ts';

const one = '/organizations/{org}/servers/{server}';
const tags = ['Server requests'];
const ofServer = {
  tags,
  access: 'organization:member',
  method: 'GET',
  parameters: { org: 'text', server: 'text' },
} as const;
const ofItem = { ...ofServer, parameters: { ...ofServer.parameters, id: 'uuid' } } as const;

export const serverRequestRoutes = [
  platformRoute({
    ...ofServer,
    path: `${one}/requests`,
    operationId: 'listServerRequests',
    summary: 'List requests to a server',
    description:
      'Who called what, the decision and the outcome, newest first. Durations are in milliseconds. Arguments and results are not kept.',
    query: listQuery,
    responses: { 200: ServerRequestList },
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const { limit, cursor, ...filter } = query;
      checkSpan(filter);
      const read = (position: { cursor: string; limit: number }) =>
        listRequests(context.db, { server_id: id, ...filter, ...position });
      return ok(await readPage({ limit, ...(cursor === undefined ? {} : { cursor }) }, 'descending', read, requestOf));
    },
  }),
  platformRoute({
    ...ofServer,
    path: `${one}/requests/histogram`,
    operationId: 'readServerRequestHistogram',
    summary: 'Count requests by time',
    description:
      'Equal intervals of time, each with the number of requests, their outcomes, and percentiles of their duration in milliseconds. The last day unless `since` and `until` say otherwise.',
    query: histogramQuery,
    responses: { 200: Histogram },
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      return ok(await readHistogram(context, { server_id: id }, query));
    },
  }),
  platformRoute({
    ...ofItem,
    path: `${one}/requests/{id}`,
    operationId: 'readServerRequest',
    summary: 'Read a request to a server',
    description:
      'One record, by the id that its answer had in the header `x-request-id`. 404 when there is none or it is old.',
    responses: { 200: ServerRequest },
    handler: async ({ context, path }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const row = await context.db.first(findRequest, { server_id: id, id: path.id });
      if (!row) throw new NotFound('Request not found.');
      return ok(requestOf(row));
    },
  }),
  platformRoute({
    ...ofServer,
    path: `${one}/usage`,
    operationId: 'readServerUsage',
    summary: 'Sum the usage of a server',
    description:
      'Requests by owner, capability, day or client, in the last 30 days unless `since` and `until` say otherwise.',
    query: usageQuery,
    responses: { 200: Usage },
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      return ok(await readUsage(context, { server_id: id }, query));
    },
  }),
  platformRoute({
    ...ofServer,
    access: 'organization:admin',
    parameters: { org: 'text' },
    path: '/organizations/{org}/usage',
    operationId: 'readUsage',
    summary: 'Sum the usage of all servers',
    description:
      'Requests to every server of the organization by owner, capability, day, server or client, in the last 30 days unless `since` and `until` say otherwise.',
    query: usageQuery,
    responses: { 200: Usage },
    handler: async ({ context, query }) =>
      ok(await readUsage(context, { organization_id: context.organization.id }, query)),
  }),
  platformRoute({
    ...ofServer,
    path: `${one}/sessions`,
    operationId: 'listServerSessions',
    summary: 'List sessions of a server',
    description: 'Sessions of protocol revisions that have them, by when they began, newest first.',
    query: sessionsQuery,
    responses: { 200: ServerSessionList },
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const read = (position: { cursor: string; limit: number }) =>
        context.db.all(listSessions, { ...query, server_id: id, ...position });
      return ok(await readPage(query, 'descending', read, sessionOf));
    },
  }),
  platformRoute({
    ...ofItem,
    path: `${one}/sessions/{id}`,
    operationId: 'readServerSession',
    summary: 'Read a session of a server',
    description: 'Its actor and client, when it began and ended, and its number of requests.',
    responses: { 200: ServerSession },
    handler: async ({ context, path }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const row = await context.db.first(findSession, { server_id: id, id: path.id });
      if (!row) throw new NotFound('Session not found.');
      return ok(sessionOf(row));
    },
  }),
  platformRoute({
    ...ofServer,
    path: `${one}/clients`,
    operationId: 'listServerClients',
    summary: 'List the clients of a server',
    description:
      'The programs that used the server, under the names that they give themselves, in the last 30 days unless `since` and `until` say otherwise.',
    query: clientsQuery,
    responses: { 200: ServerClientList },
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      return ok(await readClients(context, { server_id: id }, query));
    },
  }),
];
