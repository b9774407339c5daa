import { created, ok, type Route, route } from '../../http/route.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { listQuery, pageLimit } from '../filters/pagination.ts';
import { createLogs } from './operations.ts';
import { listLogs } from './queries.ts';
import { Log, LogSort, logBodies } from './schema.ts';

const tags = ['Logs'];

export const logRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/logs/',
    operationId: 'create_logs_logs__post',
    summary: 'Record log lines',
    description:
      "Keeps the lines of flow and task runs. `level` is a number as in Python's logging: 20 is info, 40 is error.",
    tags,
    permission: 'logs:write',
    body: logBodies.create,
    bodySize: 'large',
    responses: { 201: Json() },
    async handler({ context, body }) {
      await createLogs(context, body);
      return created(null);
    },
  }),
  route({
    method: 'GET',
    path: '/logs/',
    operationId: 'list_logs_logs__get',
    summary: 'List log lines',
    description: 'One page of log lines, oldest first. `limit` is at most the largest page of this server.',
    tags,
    permission: 'logs:read',
    query: listQuery(LogSort, 'TIMESTAMP_ASC'),
    responses: { 200: Type.Array(Log) },
    async handler({ context, query }) {
      const { sort, offset, limit } = query;
      return ok(await listLogs(context.answerDb, null, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
  route({
    method: 'POST',
    path: '/logs/filter',
    operationId: 'read_logs_logs_filter_post',
    summary: 'Search log lines',
    description:
      'One page of the lines that match the filter, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    tags,
    permission: 'logs:read',
    body: logBodies.filter,
    responses: { 200: Type.Array(Log) },
    async handler({ context, body }) {
      const { logs, sort, offset, limit } = body;
      return ok(await listLogs(context.answerDb, logs, { sort, offset, limit: pageLimit(context, limit) }));
    },
  }),
];
