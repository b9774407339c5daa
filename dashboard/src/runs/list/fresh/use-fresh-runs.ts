/**
 * Keeps the list of flow runs fresh. A short list is read again completely. For a long one, the first page and the
 * changed rows are read again, so that a list of many pages costs two requests per change.
 */
import { useEffect } from 'react';
import { answered, api } from '../../../api/client.ts';
import { type Change, gathered, live } from '../../../api/live.ts';
import { queries } from '../../../api/query-client.ts';
import { runFilters } from '../filters.ts';
import { firstPage, LARGEST_PAGE, type RunRow, runsQuery } from '../queries.ts';
import type { RunsSearch } from '../run-fields.ts';
import { merged, type Page, type Pages } from './fresh-pages.ts';

/** Largest number of pages that are read again completely. */
const SHORT_LIST_PAGES = 2;

export function useFreshRuns(search: RunsSearch): void {
  useEffect(() => {
    const { queryKey } = runsQuery(search);
    const changed = new Set<string>();
    const refresh = async () => {
      const pages = queries.getQueryData<Pages>(queryKey)?.pages ?? [];
      const loaded = new Set(pages.flatMap(({ runs }) => runs.map(({ id }) => id)));
      const ids = [...changed].filter((id) => loaded.has(id));
      changed.clear();
      if (pages.length <= SHORT_LIST_PAGES || ids.length > LARGEST_PAGE) return queries.invalidateQueries({ queryKey });
      const [first, rows] = await Promise.all([readFirst(search), readRows(search, ids)]);
      // Runs between the first page and the loaded rows would be missing.
      if (first.runs.every(({ id }) => !loaded.has(id))) return queries.invalidateQueries({ queryKey });
      queries.setQueryData<Pages>(queryKey, (old) => old && merged(old, { first, asked: new Set(ids), rows }));
    };
    // A query keeps its own error, so this never rejects.
    const refreshOrAsk = () => refresh().catch(() => queries.invalidateQueries({ queryKey }));
    const { call, cancel } = gathered(() => void refreshOrAsk());
    const stop = live.listen((change: Change) => {
      if (change.type !== 'flow_run' || change.id === undefined) return;
      changed.add(change.id);
      call();
    });
    return () => {
      stop();
      cancel();
    };
  }, [search]);
}

function readFirst(search: RunsSearch): Promise<Page> {
  return answered(api.POST('/views/runs', { body: firstPage(search) }));
}

/** The rows that still match the filters. */
async function readRows(search: RunsSearch, ids: readonly string[]): Promise<ReadonlyMap<string, RunRow>> {
  if (ids.length === 0) return new Map();
  const filters = runFilters(search);
  const body = { ...filters, flow_runs: { ...filters.flow_runs, id: { any_: [...ids] } }, limit: LARGEST_PAGE };
  const { runs } = await answered(api.POST('/views/runs', { body }));
  return new Map(runs.map((run) => [run.id, run]));
}
