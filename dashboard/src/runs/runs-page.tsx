/** All runs of the workspace: flow runs and task runs, filtered by the address. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Columns3 } from 'lucide-react';
import { buttonClass, IconButton } from '../components/button.tsx';
import { Menu, MenuCheck } from '../components/menu.tsx';
import { PageHead } from '../components/page.tsx';
import { setPreference, usePreferences } from '../preferences/preferences.ts';
import { FlowRunsTab } from './flow-runs-tab.tsx';
import { runColumns } from './run-columns.tsx';
import { RunFilters } from './run-filters.tsx';
import type { RunsSearch } from './runs-search.ts';
import { SavedViews } from './saved-views.tsx';
import { SearchHits } from './search-hits.tsx';
import { TaskRunsTab } from './task-runs-tab.tsx';

const route = getRouteApi('/runs');

const tabs = [
  [undefined, 'Flow runs'],
  ['task-runs', 'Task runs'],
] as const;

export function RunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/runs' });
  const change = (part: RunsSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
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
            {isOfTasks ? null : <ColumnMenu />}
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
      <RunFilters search={search} change={change} />
      <SearchHits text={search.name} change={change} />
      {isOfTasks ? <TaskRunsTab search={search} change={change} /> : <FlowRunsTab search={search} change={change} />}
    </>
  );
}

function ColumnMenu() {
  const { runColumns: chosen } = usePreferences();
  const shown = chosen ?? runColumns.map(({ id }) => id);
  return (
    <Menu
      trigger={
        <IconButton label="Choose columns">
          <Columns3 size={15} />
        </IconButton>
      }
    >
      {runColumns.map(({ id, title }) => (
        <MenuCheck
          key={id}
          checked={shown.includes(id)}
          onChange={(on) => setPreference('runColumns', on ? [...shown, id] : shown.filter((one) => one !== id))}
        >
          {title}
        </MenuCheck>
      ))}
    </Menu>
  );
}
