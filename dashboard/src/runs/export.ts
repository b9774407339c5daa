/** Saves what the lists of runs show. */
import { answered, api } from '../api/client.ts';
import { saveBlob } from '../components/download.ts';
import type { ExportFormat } from '../components/list/list-actions.tsx';
import { notify, notifyProblem } from '../components/notify/notify.ts';
import { runFilters, taskFilters } from './filters.ts';
import type { RunsSearch } from './run-fields.ts';
import { sortOf, taskSortOf } from './runs-order.ts';

export function exportRuns(search: RunsSearch, format: ExportFormat): Promise<void> {
  const body = { ...runFilters(search), sort: sortOf(search) };
  return save('runs', format, () =>
    answered(api.POST('/views/runs/export', { params: { query: { format } }, body, parseAs: 'blob' })),
  );
}

export function exportTaskRuns(search: RunsSearch, format: ExportFormat): Promise<void> {
  const body = { ...taskFilters(search), sort: taskSortOf(search) };
  return save('task-runs', format, () =>
    answered(api.POST('/views/task_runs/export', { params: { query: { format } }, body, parseAs: 'blob' })),
  );
}

async function save(name: string, format: ExportFormat, read: () => Promise<unknown>): Promise<void> {
  notify('The export has begun.');
  try {
    saveBlob((await read()) as Blob, `${name}.${format}`);
  } catch (error) {
    notifyProblem(error);
  }
}
