/** All runs of the workspace: flow runs and task runs, filtered by the address. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { buttonClass } from '../../components/button.tsx';
import { ListActions } from '../../components/list/list-actions.tsx';
import { PageHead } from '../../components/page.tsx';
import { exportRuns, exportTaskRuns } from './export.ts';
import { FlowRunsList } from './flow-runs-list.tsx';
import { runColumns } from './run-columns.tsx';
import type { RunsSearch } from './run-fields.ts';
import { RunTabs } from './saved/run-tabs.tsx';
import { SavedViews } from './saved/saved-views.tsx';
import { TaskRunsList, taskRunColumns } from './task-runs-list.tsx';

const route = getRouteApi('/runs');

export function RunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/runs' });
  const change = useCallback(
    (part: RunsSearch) => void navigate({ search: (old) => ({ ...old, ...part }), resetScroll: false }),
    [navigate],
  );
  const isOfTasks = search.tab === 'task-runs';
  return (
    <>
      <PageHead
        title="Runs"
        actions={
          <>
            <Link to="/runs/bulk-work" className={buttonClass('quiet')}>
              Bulk work
            </Link>
            <SavedViews search={search} />
            {isOfTasks ? (
              <ListActions
                key="task-runs"
                name="task-runs"
                columns={taskRunColumns}
                onExport={(format) => exportTaskRuns(search, format)}
              />
            ) : (
              <ListActions
                key="runs"
                name="runs"
                columns={runColumns}
                onExport={(format) => exportRuns(search, format)}
              />
            )}
          </>
        }
      />
      <RunTabs search={search} />
      {isOfTasks ? <TaskRunsList search={search} change={change} /> : <FlowRunsList search={search} change={change} />}
    </>
  );
}
