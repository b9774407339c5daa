/** The requests to several servers as a file, read page by page while it is sent. */
import type { PlatformDb } from '../../../database/store.ts';
import { PlainBody } from '../../../http/routes/route.ts';
import { csvLine } from '../../../values/csv.ts';
import { LAST_ID } from '../../../values/id.ts';
import { listRequestsOfServers, requestOf } from '../requests/queries.ts';
import { type RequestFilter, ServerRequest } from '../requests/schema.ts';

const PAGE = 200;

interface Exported {
  readonly server_ids: readonly string[];
  readonly filter: RequestFilter;
  readonly format: 'csv' | 'ndjson';
}

export function exportRequests(db: PlatformDb, exported: Exported) {
  const { format } = exported;
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
  return {
    status: 200,
    body: new PlainBody(type, linesOf(db, exported)),
    headers: { 'content-disposition': `attachment; filename="requests.${format}"` },
  };
}

const { failure: _failure, ...plain } = ServerRequest.properties;
const columns = Object.keys(plain) as Exclude<keyof ServerRequest, 'failure'>[];

async function* linesOf(db: PlatformDb, { server_ids, filter, format }: Exported): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine([...columns, 'failureReason']);
  for (let cursor = LAST_ID; ; ) {
    const rows = await listRequestsOfServers(db, server_ids, filter, { cursor, limit: PAGE });
    for (const request of rows.map(requestOf)) {
      yield format === 'ndjson'
        ? `${JSON.stringify(request)}\n`
        : csvLine([...columns.map((column) => request[column]), request.failure?.reason]);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    cursor = last.id;
  }
}
