/** Deployments as a table: all of them, or those of a flow, a pool or a queue. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useMore } from '../api/list.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { Health } from '../components/reasons.tsx';
import { RunBars } from '../components/run-bars.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { scheduleWords, zoneOf } from '../schedule/words.ts';
import { type DeploymentFilter, type DeploymentRow, deploymentsQuery } from './queries.ts';

const PLACES = 16;

const columns: readonly Column<DeploymentRow>[] = [
  {
    id: 'name',
    title: 'Deployment',
    width: 'minmax(10rem, 1.4fr)',
    line: 1,
    cell: (deployment) => (
      <Link to="/deployments/deployment/$id" params={{ id: deployment.id }} className="font-medium hover:underline">
        {deployment.name}
      </Link>
    ),
  },
  {
    id: 'flow',
    title: 'Flow',
    width: 'minmax(7rem, 1fr)',
    line: 2,
    cell: ({ flow_id, flow_name }) => (
      <Link to="/flows/flow/$id" params={{ id: flow_id }} className="text-soft hover:text-ink hover:underline">
        {flow_name}
      </Link>
    ),
  },
  { id: 'health', title: 'Health', width: '8.5rem', line: 1, cell: ({ reasons }) => <Health reasons={reasons} /> },
  {
    id: 'bars',
    title: 'Last 16 runs',
    width: '8.5rem',
    from: 820,
    cell: ({ last_runs: runs }) => <RunBars runs={runs} places={PLACES} height={18} width={6} />,
  },
  {
    id: 'next',
    title: 'Next run',
    width: '5.5rem',
    line: 2,
    from: 560,
    cell: ({ next_run: next, late }) =>
      late > 0 ? (
        <span className="text-late-text" title="Runs that should have started">
          {late} late
        </span>
      ) : next ? (
        <Moment time={next.start} />
      ) : null,
  },
  {
    id: 'schedule',
    title: 'Schedule',
    width: 'minmax(9rem, 1.4fr)',
    from: 960,
    cell: ({ schedules }) => <Schedules schedules={schedules} />,
  },
  {
    id: 'pool',
    title: 'Work pool',
    width: 'minmax(6rem, .8fr)',
    from: 720,
    cell: ({ work_pool_name: name }) =>
      name ? (
        <Link to="/work-pools/work-pool/$name" params={{ name }} className="text-soft hover:text-ink hover:underline">
          {name}
        </Link>
      ) : (
        <span className="text-quiet">a process</span>
      ),
  },
];

function Schedules({ schedules }: { readonly schedules: DeploymentRow['schedules'] }) {
  const [first] = schedules;
  if (!first) return null;
  const words = schedules.map(({ schedule }) => `${scheduleWords(schedule)} (${zoneOf(schedule)})`);
  return (
    <span className={first.active ? 'text-soft' : 'text-quiet line-through'} title={words.join('\n')}>
      {words[0]}
      {schedules.length > 1 ? ` and ${schedules.length - 1} more` : ''}
    </span>
  );
}

interface Props {
  readonly filter: DeploymentFilter;
  /** Replaces a table without rows. */
  readonly empty?: ReactNode;
  /** True if the table has the whole width of the page; otherwise it is inside a part with a margin of its own. */
  readonly isWide?: boolean;
}

export function DeploymentLines({ filter, empty, isWide = false }: Props) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(deploymentsQuery(filter));
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ deployments }) => deployments) ?? [], [pages]);
  const more = useMore(query);
  if (query.isPending) {
    return (
      <div className={isWide ? 'px-6' : ''}>
        <Skeleton rows={8} />
      </div>
    );
  }
  if (query.isError && rows.length === 0) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (rows.length === 0) return empty ?? <p className="text-quiet">There are no deployments here.</p>;
  const hidden = filter.flow_id ? 'flow' : filter.work_pool || filter.work_queue_id ? 'pool' : undefined;
  return (
    <div className={isWide ? '' : '-mx-6 max-sm:-mx-4'}>
      <DataTable
        label="Deployments"
        columns={columns.filter(({ id }) => id !== hidden)}
        rows={rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/deployments/deployment/$id', params: { id } })}
        onEnd={more}
      />
    </div>
  );
}
