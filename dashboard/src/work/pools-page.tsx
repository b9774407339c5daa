/** All work pools, with their workers, their runs and the reasons why runs do not start. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMay } from '../api/access.ts';
import { buttonClass } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Health } from '../components/reasons.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { poolsQuery, type WorkPoolRow } from './queries.ts';

const columns: readonly Column<WorkPoolRow>[] = [
  {
    id: 'name',
    title: 'Work pool',
    width: 'minmax(9rem, 1.4fr)',
    line: 1,
    cell: ({ name }) => (
      <Link to="/work-pools/work-pool/$name" params={{ name }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'type',
    title: 'Type',
    width: 'minmax(6rem, 1fr)',
    line: 2,
    cell: ({ type }) => <span className="text-soft">{type}</span>,
  },
  { id: 'health', title: 'Health', width: '8.5rem', line: 1, cell: ({ reasons }) => <Health reasons={reasons} /> },
  {
    id: 'workers',
    title: 'Workers online',
    width: '7rem',
    align: 'right',
    from: 620,
    cell: ({ workers_online: online }) => online,
  },
  {
    id: 'heartbeat',
    title: 'Last heartbeat',
    width: '7.5rem',
    line: 2,
    cell: ({ last_heartbeat: last }) => (last ? <Moment time={last} /> : <span className="text-quiet">never</span>),
  },
  {
    id: 'running',
    title: 'Running',
    width: '6rem',
    align: 'right',
    from: 560,
    cell: ({ running, pending, concurrency_limit: limit }) =>
      limit === null ? running + pending || null : `${running + pending} of ${limit}`,
  },
  {
    id: 'late',
    title: 'Late',
    width: '4rem',
    align: 'right',
    from: 560,
    cell: ({ late }) => (late > 0 ? <span className="text-late-text">{late.toLocaleString('en')}</span> : null),
  },
  { id: 'queues', title: 'Queues', width: '4.5rem', align: 'right', from: 760, cell: ({ queues }) => queues },
  {
    id: 'deployments',
    title: 'Deployments',
    width: '6rem',
    align: 'right',
    from: 760,
    cell: ({ name, deployments }) =>
      deployments > 0 ? (
        <Link to="/deployments" search={{ pool: name }} className="hover:underline">
          {deployments}
        </Link>
      ) : null,
  },
];

export function PoolsPage() {
  const navigate = useNavigate();
  const mayChange = useMay('work_pools:write');
  const { data, isPending, error, refetch } = useQuery(poolsQuery);
  const create = mayChange ? (
    <Link to="/work-pools/create" search={{}} className={buttonClass('primary')}>
      <Plus size={14} /> New work pool
    </Link>
  ) : null;
  return (
    <>
      <PageHead title="Work pools" actions={create} />
      {isPending ? (
        <div className="px-6">
          <Skeleton rows={6} />
        </div>
      ) : !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data.work_pools.length === 0 ? (
        <Empty title="No work pools yet" action={create}>
          A work pool says where runs of deployments happen: in processes, in containers, in a cloud. Workers poll it
          and start the runs.
        </Empty>
      ) : (
        <DataTable
          label="Work pools"
          columns={columns}
          rows={data.work_pools}
          idOf={({ id }) => id}
          onOpen={({ name }) => void navigate({ to: '/work-pools/work-pool/$name', params: { name } })}
        />
      )}
    </>
  );
}
