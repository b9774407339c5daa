import { platformStatement } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import { platformRoute } from '../../http/platform-route.ts';
import { ok, PlainBody } from '../../http/route.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { type PageQuery, pageQuery, readPage } from '../page.ts';
import { type AuditEntry, AuditList } from './schema.ts';

const listEntries = platformStatement<{ organization_id: string; cursor: string; limit: number }, Row<'audit_entry'>>(
  (query, given) =>
    query
      .selectFrom('audit_entry')
      .selectAll()
      .where('organization_id', '=', given.organization_id)
      .where('id', '<', given.cursor)
      .orderBy('id', 'desc')
      .limit(given.limit),
);

function readEntries(context: OrganizationContext, query: PageQuery) {
  const read = (position: { cursor: string; limit: number }) =>
    context.db.all(listEntries, { organization_id: context.organization.id, ...position });
  return readPage(query, 'descending', read, entryOf);
}

function entryOf(row: Row<'audit_entry'>): AuditEntry {
  return {
    id: row.id,
    occurredAt: row.occurred,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorName: row.actor_name,
    action: row.action,
    targetType: row.target_type,
    targetId: row.target_id,
    targetName: row.target_name,
    address: row.address,
    details: row.details,
  };
}

/** The whole audit, a JSON object a line, read page by page while it is sent. */
async function* exportEntries(context: OrganizationContext): AsyncIterable<string> {
  for (let cursor: string | undefined; ; ) {
    const page = await readEntries(context, { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    for (const { details, ...entry } of page.items) {
      yield `${JSON.stringify(entry).slice(0, -1)},"details":${details}}\n`;
    }
    if (page.meta.nextCursor === null) return;
    cursor = page.meta.nextCursor;
  }
}

const common = { tags: ['Audit'], access: 'organization:admin', parameters: { org: 'text' } } as const;

export const auditRoutes = [
  platformRoute({
    ...common,
    method: 'GET',
    path: '/organizations/{org}/audit',
    operationId: 'listAudit',
    summary: 'List the audit',
    description: "Who changed what and from where, newest first. No entry holds a secret or names a key's secret.",
    query: pageQuery,
    responses: { 200: AuditList },
    handler: async ({ context, query }) => ok(await readEntries(context, query)),
  }),
  platformRoute({
    ...common,
    method: 'GET',
    path: '/organizations/{org}/audit/export',
    operationId: 'exportAudit',
    summary: 'Export the audit',
    description: 'The whole audit of the organization as JSON lines, newest first.',
    responses: { 200: null },
    handler: ({ context }) => ok(new PlainBody('application/x-ndjson', exportEntries(context))),
  }),
];
