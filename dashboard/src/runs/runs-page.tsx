/** All runs of the workspace: flow runs and task runs, filtered by the address. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListActions } from '../components/list/list-actions.tsx';
import { PageHead } from '../components/page.tsx';
import { FlowRunsList } from './flow-runs-list.tsx';
import { runColumns } from './run-columns.tsx';
import type { RunsSearch } from './run-fields.ts';
import { SavedViews } from './saved-views.tsx';
import { TaskRunsList, taskRunColumns } from './task-runs-list.tsx';

const route = getRouteApi('/runs');

const tabs = [
  [undefined, 'Flow runs'],
  ['task-runs', 'Task runs'],
] as const;

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
            <SavedViews search={search} />
            {isOfTasks ? (
              <ListActions key="task-runs" name="task-runs" columns={taskRunColumns} />
            ) : (
              <ListActions key="runs" name="runs" columns={runColumns} />
            )}
          </>
        }
      />
      <nav aria-label="Kinds of runs" className="ruled mb-3 flex gap-4 px-6 max-sm:px-4">
        {tabs.map(([tab, title]) => (
          <Link
            key={title}
            to="/runs"
            search={(old: RunsSearch) => ({ ...old, tab })}
            activeOptions={{ explicitUndefined: true }}
            className="-mb-px border-b-2 border-transparent pb-1.5 text-soft hover:text-ink aria-[current]:border-ink aria-[current]:font-medium aria-[current]:text-ink"
          >
            {title}
          </Link>
        ))}
      </nav>
      {isOfTasks ? <TaskRunsList search={search} change={change} /> : <FlowRunsList search={search} change={change} />}
    </>
  );
}
