import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { ok, PlainBody } from '../../http/routes/route.ts';
import { readPage } from '../page.ts';
import { commaSeparated, jsonLines } from './export.ts';
import { entryOf, listEntries } from './queries.ts';
import { AuditList, auditExportQuery, auditQuery } from './schema.ts';

const { get } = organizationRoutes('Audit', 'admin');

export const auditRoutes = [
  get('/audit', 'listAudit', {
    summary: 'List the audit log',
    description:
      'The recorded changes with their actors, targets and addresses, newest first. An entry must match every filter. No entry contains a secret.',
    query: auditQuery,
    answers: AuditList,
    handler: ({ context, query }) => {
      const place = { organization_id: context.organization.id };
      return readPage(
        query,
        'descending',
        (position) => listEntries(context.db, { ...query, ...place, ...position }),
        entryOf,
      );
    },
  }),
  get('/audit/export', 'exportAudit', {
    summary: 'Export the audit log',
    description:
      'The audit log of the organization, newest first, as JSON lines or as comma-separated values (`format=csv`), with the filters of the list.',
    query: auditExportQuery,
    responses: { 200: null },
    handler: ({ context, query }) => {
      const { format, ...filter } = query;
      return ok(
        format === 'csv'
          ? new PlainBody('text/csv; charset=utf-8', commaSeparated(context, filter))
          : new PlainBody('application/x-ndjson', jsonLines(context, filter)),
      );
    },
  }),
];
