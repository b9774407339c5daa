/** The gateway's records of requests: to one server for its editors, to all servers for administrators. */
import type { Position } from '../../../database/rows.ts';
import { found } from '../../../errors.ts';
import { organizationRoutes } from '../../../http/routes/platform-routes.ts';
import { readPage } from '../../page.ts';
import { serverFor } from '../server/access.ts';
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
import { listSessions, serverSessions, sessionOf } from './sessions.ts';
import { readClients, readUsage } from './usage.ts';

const { get } = organizationRoutes('Server requests', 'member');

export const serverRequestRoutes = [
  get('/servers/{server}/requests', 'listServerRequests', {
    summary: 'List requests to a server',
    description:
      'Caller, capability, decision and outcome of each request, newest first. Durations are in milliseconds. Arguments and results are not stored.',
    query: listQuery,
    answers: ServerRequestList,
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const { limit, cursor, ...filter } = query;
      checkSpan(filter);
      const read = (position: Position) => listRequests(context.db, id, filter, position);
      return readPage(query, 'descending', read, requestOf);
    },
  }),
  get('/servers/{server}/requests/histogram', 'readServerRequestHistogram', {
    summary: 'Count requests by time',
    description:
      'Equal intervals of time, each with the number of requests, their outcomes, and percentiles of their duration in milliseconds. Default: the last day.',
    query: histogramQuery,
    answers: Histogram,
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      return readHistogram(context, { server_id: id }, query);
    },
  }),
  get('/servers/{server}/requests/{id}', 'readServerRequest', {
    summary: 'Read a request to a server',
    description:
      'One record, by the id in the header `x-request-id` of its answer. 404 when there is none or it was deleted because of its age.',
    answers: ServerRequest,
    handler: async ({ context, path }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const row = await context.db.first(findRequest, { server_id: id, id: path.id });
      return requestOf(found(row, 'Request not found.'));
    },
  }),
  get('/servers/{server}/usage', 'readServerUsage', {
    summary: 'Sum the usage of a server',
    description: 'Requests by owner, capability, day or client, by default in the last 30 days.',
    query: usageQuery,
    answers: Usage,
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      return readUsage(context, { server_id: id }, query);
    },
  }),
  get('/usage', 'readUsage', {
    access: 'organization:admin',
    summary: 'Sum the usage of all servers',
    description:
      'Requests to all servers of the organization by owner, capability, day, server or client, by default in the last 30 days.',
    query: usageQuery,
    answers: Usage,
    handler: ({ context, query }) => readUsage(context, { organization_id: context.organization.id }, query),
  }),
  get('/servers/{server}/sessions', 'listServerSessions', {
    summary: 'List sessions of a server',
    description: 'Sessions, by their start, newest first. Only protocol revisions with sessions have them.',
    query: sessionsQuery,
    answers: ServerSessionList,
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const read = (position: Position) => context.db.all(listSessions, { ...query, server_id: id, ...position });
      return readPage(query, 'descending', read, sessionOf);
    },
  }),
  get('/servers/{server}/sessions/{id}', 'readServerSession', {
    summary: 'Read a session of a server',
    description: 'The actor and client of a session, its start and end, and its number of requests.',
    answers: ServerSession,
    handler: async ({ context, path }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      const row = await serverSessions.first(context.db, { server_id: id, id: path.id });
      return sessionOf(found(row, 'Session not found.'));
    },
  }),
  get('/servers/{server}/clients', 'listServerClients', {
    summary: 'List the clients of a server',
    description: 'The programs that used the server, under the names that they report, by default in the last 30 days.',
    query: clientsQuery,
    answers: ServerClientList,
    handler: async ({ context, path, query }) => {
      const { id } = await serverFor(context, path.server, 'editor');
      return readClients(context, { server_id: id }, query);
    },
  }),
];
