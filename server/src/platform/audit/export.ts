/** The audit as a file, read page by page while it is sent. */

import type { OrganizationContext } from '../../context/platform-context.ts';
import { csvLine } from '../../values/csv.ts';
import { LAST_ID } from '../../values/id.ts';
import { entryOf, listEntries } from './queries.ts';
import { AuditEntry, type AuditFilter } from './schema.ts';

const PAGE = 200;

async function* entriesOf(context: OrganizationContext, filter: AuditFilter): AsyncIterable<AuditEntry> {
  for (let cursor = LAST_ID; ; ) {
    const place = { organization_id: context.organization.id, cursor, limit: PAGE };
    const rows = await listEntries(context.db, { ...filter, ...place });
    yield* rows.map(entryOf);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    cursor = last.id;
  }
}

/** JSON Lines: one JSON object per line. */
export async function* jsonLines(context: OrganizationContext, filter: AuditFilter): AsyncIterable<string> {
  for await (const { details, ...entry } of entriesOf(context, filter)) {
    yield `${JSON.stringify(entry).slice(0, -1)},"details":${details}}\n`;
  }
}

const columns = Object.keys(AuditEntry.properties) as (keyof AuditEntry)[];

/** CSV with a header line. */
export async function* commaSeparated(context: OrganizationContext, filter: AuditFilter): AsyncIterable<string> {
  yield csvLine(columns);
  for await (const entry of entriesOf(context, filter)) yield csvLine(columns.map((column) => entry[column]));
}
