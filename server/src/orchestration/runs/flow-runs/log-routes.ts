import { found } from '../../../errors.ts';
import { PlainBody, type Route } from '../../../http/routes/route.ts';
import { routesOf } from '../../../http/routes/routes-of.ts';
import { Json } from '../../../schema/kinds.ts';
import { logsAsCsv, logsDisposition } from '../../logs/logs-as-csv.ts';
import { findFlowRun, MISSING } from '../rows/flow-runs.ts';

const { get } = routesOf('Flow Runs', 'logs');

export const flowRunLogRoutes: readonly Route[] = [
  get('/flow_runs/{id}/logs/download', 'download_logs_flow_runs__id__logs_download_get', {
    summary: 'Download the logs of a flow run',
    description: 'All log lines of the run and its task runs as CSV, oldest first. 404 when there is no such run.',
    responses: { 200: Json() },
    async handler({ context, path }) {
      const run = found(await findFlowRun(context.db, path.id), MISSING);
      return {
        status: 200,
        body: new PlainBody('text/csv; charset=utf-8', logsAsCsv(context.db, path.id)),
        headers: { 'content-disposition': logsDisposition(run.name) },
      };
    },
  }),
];
