import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Json, Type } from '../../schema/kinds.ts';
import { listQuery, partOf } from '../filters/pagination.ts';
import { createLogs } from './operations.ts';
import { listLogs } from './queries.ts';
import { Log, LogSort, logBodies } from './schema.ts';

const { get, search, post } = routesOf('Logs', 'logs');

export const logRoutes: readonly Route[] = [
  post('/logs/', 'create_logs_logs__post', {
    summary: 'Record log lines',
    description:
      "Stores the lines of flow and task runs. `level` is a number as in Python's logging: 20 is info, 40 is error.",
    body: logBodies.create,
    bodySize: 'large',
    answers: [201, Json()],
    handler: async ({ context, body }) => {
      await createLogs(context, body);
      return null;
    },
  }),
  get('/logs/', 'list_logs_logs__get', {
    summary: 'List log lines',
    description: 'One page of log lines, oldest first. `limit` is at most the largest page of this server.',
    query: listQuery(LogSort, 'TIMESTAMP_ASC'),
    answers: Type.Array(Log),
    handler: ({ context, query }) => listLogs(context.answerDb, null, partOf(context, query)),
  }),
  search('/logs/filter', 'read_logs_logs_filter_post', {
    summary: 'Search log lines',
    description:
      'One page of the lines that match the filter, in the order of `sort`. `limit` is at most the largest page of this server; 422 above it.',
    body: logBodies.filter,
    answers: Type.Array(Log),
    handler: ({ context, body }) => listLogs(context.answerDb, body.logs, partOf(context, body)),
  }),
];
