/** The requests to several servers as a file, read page by page while it is sent. */
import type { PlatformDb } from '../../../database/store.ts';
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

const { failure: _failure, ...plain } = ServerRequest.properties;
const columns = Object.keys(plain) as Exclude<keyof ServerRequest, 'failure'>[];

/** The lines of the file. They go on until no record is left, or until their reader takes no more. */
export async function* linesOfRequests(
  db: PlatformDb,
  { server_ids, filter, format }: Exported,
): AsyncGenerator<string> {
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
