import { FieldValues } from '../../database/lists/where-schema.ts';
import { bounds, fileOf } from '../../http/routes/file.ts';
import { organizationRoutes } from '../../http/routes/platform-routes.ts';
import { readPage } from '../page.ts';
import { commaSeparated, jsonLines } from './export.ts';
import { readAuditConditions } from './fields.ts';
import { entryOf, listEntries } from './queries.ts';
import { AuditList, auditExportQuery, auditQuery, auditValuesQuery } from './schema.ts';
import { readAuditValues } from './values.ts';

const { get } = organizationRoutes('Audit', 'admin');

export const auditRoutes = [
  get('/audit', 'listAudit', {
    summary: 'List the audit log',
    description:
      'The recorded changes with their actors, targets and addresses, newest first. An entry must match every filter. No entry contains a secret.',
    query: auditQuery,
    answers: AuditList,
    handler: ({ context, query }) => {
      const asked = { ...query, where: readAuditConditions(query.where), organization_id: context.organization.id };
      return readPage(query, 'descending', (position) => listEntries(context.db, { ...asked, ...position }), entryOf);
    },
  }),
  get('/audit/values', 'readAuditValues', {
    summary: 'Suggest values for a filter of the audit log',
    description:
      'The values of `field` (`actor`, `action` or `target`) that contain `text`, with the number of entries that have them under all other filters of the list.',
    query: auditValuesQuery,
    answers: FieldValues,
    handler: ({ context, query }) => {
      const { field, text, limit, ...given } = query;
      const where = readAuditConditions(given.where).filter((condition) => condition.field !== field);
      const organization_id = context.organization.id;
      return readAuditValues(context.db, { organization_id, filter: { ...given, where }, field, text, limit });
    },
  }),
  get('/audit/export', 'exportAudit', {
    summary: 'Export the audit log',
    description: `The audit log of the organization, newest first, as JSON lines or as comma-separated values (\`format=csv\`), with the filters of the list. ${bounds}`,
    query: auditExportQuery,
    responses: { 200: null },
    handler: ({ context, query }) => {
      const { format, ...given } = query;
      const filter = { ...given, where: readAuditConditions(given.where) };
      return format === 'csv'
        ? fileOf('audit', 'csv', commaSeparated(context, filter))
        : fileOf('audit', 'ndjson', jsonLines(context, filter));
    },
  }),
];
