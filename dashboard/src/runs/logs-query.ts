/** The logs of a run. A change asks for the new lines only: those that are here stay. */
import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import type { components } from '../api/schema.gen.ts';

export type Log = components['schemas']['Log'];

export interface LogsOf {
  /** Undefined for a background task run. */
  readonly runId: string | undefined;
  /** Only the lines of this task run. */
  readonly taskId: string | undefined;
  /** The least level. */
  readonly level: number;
}

const PAGE_SIZE = 200;
/** Lines may arrive a little out of order, so the last ones are asked for again; more where that is not enough. */
const OVERLAP = 50;
const MORE = 8;
export const MOST_LOGS = 20_000;

export function logsQuery({ runId, taskId, level }: LogsOf) {
  const queryKey = ['logs', runId, taskId, level] as const;
  return queryOptions({
    queryKey,
    meta: { watches: [runId, taskId].filter((id) => id !== undefined) },
    structuralSharing: false,
    queryFn: async ({ client, signal }): Promise<readonly Log[]> => {
      const before = client.getQueryData<readonly Log[]>(queryKey) ?? [];
      let overlap = OVERLAP;
      let logs = before.slice(0, Math.max(0, before.length - overlap));
      for (;;) {
        const page = await readPage({ runId, taskId, level }, logs.length, signal);
        const isFirst = logs.length === Math.max(0, before.length - overlap);
        if (isFirst && logs.length > 0 && page[0]?.id !== before[logs.length]?.id) {
          // A process was slow to send: its lines belong between those that are here.
          overlap *= MORE;
          logs = before.slice(0, Math.max(0, before.length - overlap));
          continue;
        }
        logs = [...logs, ...page];
        if (page.length < PAGE_SIZE || logs.length >= MOST_LOGS) return logs;
        // A long log appears page by page. A log that is here already does not become shorter meanwhile.
        if (logs.length > before.length) client.setQueryData(queryKey, logs);
      }
    },
  });
}

function readPage({ runId, taskId, level }: LogsOf, offset: number, signal: AbortSignal): Promise<Log[]> {
  return answered(
    api.POST('/logs/filter', {
      signal,
      body: {
        logs: {
          ...(runId ? { flow_run_id: { any_: [runId] } } : {}),
          ...(taskId ? { task_run_id: { any_: [taskId] } } : {}),
          ...(level > 0 ? { level: { ge_: level } } : {}),
        },
        sort: 'TIMESTAMP_ASC',
        limit: PAGE_SIZE,
        offset,
      },
    }),
  );
}
