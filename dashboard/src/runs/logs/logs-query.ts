/** The logs of a run. A change only requests the new lines: loaded ones stay. */
import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.ts';

export type Log = components['schemas']['Log'];

export interface LogsOf {
  /** Undefined for a background task run. */
  readonly runId: string | undefined;
  /** Limits the log to this task run. */
  readonly taskId: string | undefined;
  /** Subflow runs whose lines are included. */
  readonly subflowIds?: readonly string[];
  /** Limits the log to lines of this time. */
  readonly span?: { readonly began: string | null; readonly until: string | null } | undefined;
  /** The lowest level. */
  readonly level: number;
}

const PAGE_SIZE = 200;
/** Lines may arrive slightly out of order, so the last ones are read again; more of them if that is not enough. */
const OVERLAP = 50;
const MORE = 8;
export const MOST_LOGS = 20_000;

export function logsQuery(of: LogsOf) {
  const { runId, taskId, subflowIds = [], span, level } = of;
  const queryKey = ['/logs/filter', runId, taskId, level, span?.began, span?.until, subflowIds] as const;
  return queryOptions({
    queryKey,
    meta: { watches: [runId, taskId, ...subflowIds].filter((id) => id !== undefined) },
    structuralSharing: false,
    queryFn: async ({ client, signal }): Promise<readonly Log[]> => {
      const before = client.getQueryData<readonly Log[]>(queryKey) ?? [];
      const read = (offset: number) => readPage(of, offset, signal);
      let kept = Math.max(0, before.length - OVERLAP);
      let page = await read(kept);
      // A process sent its lines late, and they belong between loaded ones.
      for (let overlap = OVERLAP * MORE; kept > 0 && page[0]?.id !== before[kept]?.id; overlap *= MORE) {
        kept = Math.max(0, before.length - overlap);
        page = await read(kept);
      }
      let logs = before.slice(0, kept);
      for (;;) {
        logs = [...logs, ...page];
        if (page.length < PAGE_SIZE || logs.length >= MOST_LOGS) return logs;
        // A long log appears page by page. A loaded log does not become shorter during a new reading.
        if (logs.length > before.length) client.setQueryData(queryKey, logs);
        page = await read(logs.length);
      }
    },
  });
}

function readPage(
  { runId, taskId, subflowIds = [], span, level }: LogsOf,
  offset: number,
  signal: AbortSignal,
): Promise<Log[]> {
  return answered(
    api.POST('/logs/filter', {
      signal,
      body: {
        logs: {
          // A task run of a subflow is shown in a run that is not its own.
          ...(taskId
            ? { task_run_id: { any_: [taskId] } }
            : runId
              ? { flow_run_id: { any_: [runId, ...subflowIds] } }
              : {}),
          ...(span && { timestamp: { after_: span.began, before_: span.until } }),
          ...(level > 0 ? { level: { ge_: level } } : {}),
        },
        sort: 'TIMESTAMP_ASC',
        limit: PAGE_SIZE,
        offset,
      },
    }),
  );
}
