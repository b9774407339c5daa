/** The lists of the page of runs: flow runs, task runs, and the saved views with the number of runs in each. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { read } from '../../../api/read.ts';
import { runFilters, spanOf } from '../filters.ts';
import { viewsQuery } from '../queries.ts';
import type { RunsSearch } from '../run-fields.ts';
import { isOfRuns, type SavedSearch, searchOf } from './saved-filters.ts';

/** Views with a tab; the dialog has all of them. */
const MOST_TABS = 12;
const COUNT_AGAIN_MILLISECONDS = 30_000;
const TAB_CLASS =
  '-mb-px shrink-0 border-b-2 border-transparent pb-1.5 whitespace-nowrap text-soft hover:text-ink aria-[current]:border-ink aria-[current]:font-medium aria-[current]:text-ink';

export function RunTabs({ search }: { readonly search: RunsSearch }) {
  const { data } = useQuery(viewsQuery);
  const views = (data ?? []).filter(isOfRuns).slice(0, MOST_TABS);
  const counts = useCounts(views);
  const current = views.find((view) => isSame(searchOf(view), search));
  // From a view to another list, its filters are left behind.
  const filters = current ? {} : search;
  return (
    <nav
      aria-label="Lists of runs"
      className="ruled mb-3 flex gap-4 overflow-x-auto overflow-y-hidden px-6 max-sm:px-4"
      data-screen-only
    >
      <Tab search={{ ...filters, tab: undefined }} isCurrent={!current && search.tab !== 'task-runs'}>
        Flow runs
      </Tab>
      <Tab search={{ ...filters, tab: 'task-runs' }} isCurrent={!current && search.tab === 'task-runs'}>
        Task runs
      </Tab>
      {views.map((view) => (
        <Tab key={view.id} search={searchOf(view)} isCurrent={view === current}>
          {view.name} <span className="tabular text-xs text-quiet">{counts.get(view.id)}</span>
        </Tab>
      ))}
    </nav>
  );
}

interface TabProps {
  readonly search: RunsSearch;
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

function Tab({ search, isCurrent, children }: TabProps) {
  return (
    <Link
      to="/runs"
      search={search}
      activeOptions={{ exact: true }}
      aria-current={isCurrent ? 'page' : undefined}
      className={TAB_CLASS}
    >
      {children}
    </Link>
  );
}

/** The numbers of runs by the ids of the views. A number with `+` counts the latest runs only. */
function useCounts(views: readonly SavedSearch[]): ReadonlyMap<string, string> {
  const counted = views.filter((view) => searchOf(view).tab === undefined);
  const { data } = useQuery(
    read.timed(
      '/views/runs/counts',
      counted.map(({ id, filters }) => ({ id, filters })),
      (now) => ({
        body: {
          views: counted.map((view) => {
            const search = searchOf(view);
            const { start, end } = spanOf(search, now);
            return { where: runFilters(search).where, start, end };
          }),
        },
      }),
      { enabled: counted.length > 0, refetchInterval: COUNT_AGAIN_MILLISECONDS, placeholderData: keepPreviousData },
    ),
  );
  const { counts = [] } = data ?? {};
  return new Map(
    counts.map(({ count, counted_since }, index) => [
      counted[index]?.id ?? '',
      `${count.toLocaleString('en')}${counted_since ? '+' : ''}`,
    ]),
  );
}

function isSame(one: RunsSearch, other: RunsSearch): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof RunsSearch>;
  return [...names].every((name) => one[name] === other[name]);
}
