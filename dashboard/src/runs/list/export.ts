/** Saves what the lists of runs show. */
import { answered, api } from '../../api/client.ts';
import type { ExportFormat } from '../../components/list/list-actions.tsx';
import { saveExport } from '../../components/list/save-export.ts';
import { runFilters, taskFilters } from './filters.ts';
import type { RunsSearch } from './run-fields.ts';
import { sortOf, taskSortOf } from './runs-order.ts';

export function exportRuns(search: RunsSearch, format: ExportFormat): Promise<void> {
  const body = { ...runFilters(search), sort: sortOf(search) };
  return saveExport('runs', format, () =>
    answered(api.POST('/views/runs/export', { params: { query: { format } }, body, parseAs: 'blob' })),
  );
}

export function exportTaskRuns(search: RunsSearch, format: ExportFormat): Promise<void> {
  const body = { ...taskFilters(search), sort: taskSortOf(search) };
  return saveExport('task-runs', format, () =>
    answered(api.POST('/views/task_runs/export', { params: { query: { format } }, body, parseAs: 'blob' })),
  );
}
