import { platformStatement } from '../../database/statement.ts';
import type { OutputRow } from './output-page.ts';

interface Range {
  readonly server_id: string;
  readonly after: string;
  readonly before: string;
  readonly limit: number;
}

export const oldestProcessLogs = platformStatement<Range, OutputRow>((query, given) =>
  query
    .selectFrom('server_process_log')
    .select(['id', 'occurred', 'stream', 'message'])
    .where('server_id', '=', given.server_id)
    .where('id', '>', given.after)
    .where('id', '<', given.before)
    .orderBy('id')
    .limit(given.limit),
);

export const newestProcessLogs = platformStatement<Range, OutputRow>((query, given) =>
  query
    .selectFrom('server_process_log')
    .select(['id', 'occurred', 'stream', 'message'])
    .where('server_id', '=', given.server_id)
    .where('id', '>', given.after)
    .where('id', '<', given.before)
    .orderBy('id', 'desc')
    .limit(given.limit),
);
