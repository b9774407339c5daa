/** Deployments as a table: all of them, or those of a flow, a pool or a queue. */
import { Link, linkOptions, useNavigate } from '@tanstack/react-router';
import { CirclePlay, Pause, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { IconButton } from '../components/button.tsx';
import { RunBars } from '../components/chart/run-bars.tsx';
import { Health } from '../components/reasons.tsx';
import { actionsColumn, linkColumn, type PageOf } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import { cityOf, scheduleWords, zoneOf } from '../schedule/words.ts';
import { switchDeployment } from './pause.ts';
import { type DeploymentFilter, type DeploymentRow, deploymentsQuery } from './queries.ts';

const PLACES = 16;

const pageOf: PageOf<DeploymentRow> = ({ id }) => linkOptions({ to: '/deployments/deployment/$id', params: { id } });

const columns: readonly Column<DeploymentRow>[] = [
  {
    id: 'name',
    title: 'Deployment',
    width: 'minmax(10rem, 1.4fr)',
    line: 1,
    cell: ({ id, name, paused }) => (
      <span className="flex items-baseline gap-2">
        <Link to="/deployments/deployment/$id" params={{ id }} className="truncate font-medium hover:underline">
          {name}
        </Link>
        {paused ? <span className="shrink-0 text-xs text-paused-text">Paused</span> : null}
      </span>
    ),
  },
  linkColumn(
    'flow',
    'Flow',
    ({ flow_name }) => flow_name,
    ({ flow_id }) => linkOptions({ to: '/flows/flow/$id', params: { id: flow_id } }),
    { width: 'minmax(7rem, 1fr)', line: 2 },
  ),
  { id: 'health', title: 'Health', width: '8.5rem', line: 2, cell: ({ reasons }) => <Health reasons={reasons} /> },
  {
    id: 'bars',
    title: 'Last 16 runs',
    width: '8.5rem',
    from: 820,
    cell: ({ last_runs: runs }) => <RunBars runs={runs} places={PLACES} height={18} width={6} />,
  },
  { id: 'next', title: 'Next run', width: '5.5rem', line: 2, cell: (deployment) => <Next of={deployment} /> },
  {
    id: 'schedule',
    title: 'Schedule',
    width: 'minmax(13rem, 1.6fr)',
    from: 960,
    cell: (deployment) => <Schedules of={deployment} />,
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
  actionsColumn('4rem', (deployment) => <RowActions of={deployment} />, { title: 'Actions' }),
];

function Next({ of: { next_run: next, late } }: { readonly of: DeploymentRow }) {
  if (late > 0) {
    return (
      <span className="text-late-text" title="Runs that should have started">
        {late} late
      </span>
    );
  }
  if (!next) return null;
  if (next.id === null) return <Moment time={next.start} />;
  return (
    <Link to="/runs/flow-run/$id" params={{ id: next.id }} className="hover:underline">
      <Moment time={next.start} />
    </Link>
  );
}

/** The first schedule that is active, with the city of its zone, and the number of the others. */
function Schedules({ of: { schedules, paused } }: { readonly of: DeploymentRow }) {
  const ordered = [...schedules.filter(({ active }) => active), ...schedules.filter(({ active }) => !active)];
  const [first] = ordered;
  if (!first) return null;
  const isOff = paused || !first.active;
  const words = ordered.map(
    ({ schedule, active }) => `${scheduleWords(schedule)} (${zoneOf(schedule)})${active ? '' : ', paused'}`,
  );
  return (
    <span className="flex gap-1.5" title={words.join('\n')}>
      <span className={`truncate ${isOff ? 'text-quiet line-through' : 'text-soft'}`}>
        {scheduleWords(first.schedule)}
      </span>
      <span className="shrink-0 text-quiet">{cityOf(zoneOf(first.schedule))}</span>
      {ordered.length > 1 ? <span className="shrink-0 text-quiet">+{ordered.length - 1}</span> : null}
    </span>
  );
}

/** Starts, pauses and resumes the deployment of a row. */
function RowActions({ of: deployment }: { readonly of: DeploymentRow }) {
  const { id, name, paused } = deployment;
  const mayRun = useMay('flow_runs:write');
  const mayChange = useMay('deployments:write');
  const navigate = useNavigate();
  return (
    <>
      {mayRun ? (
        <IconButton
          label={`Run ${name}`}
          onClick={() => void navigate({ to: '/deployments/deployment/$id/run', params: { id } })}
        >
          <Play size={13} />
        </IconButton>
      ) : null}
      {mayChange ? (
        <IconButton label={`${paused ? 'Resume' : 'Pause'} ${name}`} onClick={() => switchDeployment(deployment)}>
          {paused ? <CirclePlay size={13} /> : <Pause size={13} />}
        </IconButton>
      ) : null}
    </>
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
  const list = useRows(deploymentsQuery(filter), ({ deployments }) => deployments);
  const hidden = filter.flow_id ? 'flow' : filter.work_pool || filter.work_queue_id ? 'pool' : undefined;
  return (
    <ListTable
      label="Deployments"
      list={list}
      columns={columns.filter(({ id }) => id !== hidden)}
      pageOf={pageOf}
      isInset={!isWide}
      empty={empty ?? <p className="px-6 text-quiet max-sm:px-4">There are no deployments here.</p>}
    />
  );
}
