/** All work pools, with their workers, their runs and the reasons why runs do not start. */

import { useQuery } from '@tanstack/react-query';
import { Link, linkOptions } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMay } from '../api/access.ts';
import { buttonClass } from '../components/button.tsx';
import { Health } from '../components/reasons.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn, nameColumn, numberColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage } from '../components/table/list-page.tsx';
import { poolsQuery, type WorkPoolRow } from './queries.ts';

const pageOf = ({ name }: WorkPoolRow) => linkOptions({ to: '/work-pools/work-pool/$name', params: { name } });

const columns: readonly Column<WorkPoolRow>[] = [
  nameColumn('Work pool', ({ name }) => name, pageOf),
  textColumn('type', 'Type', ({ type }) => type, { width: 'minmax(6rem, 1fr)', line: 2 }),
  { id: 'health', title: 'Health', width: '8.5rem', line: 1, cell: ({ reasons }) => <Health reasons={reasons} /> },
  numberColumn('workers', 'Workers online', (pool) => pool.workers_online, { width: '7rem', from: 620 }),
  momentColumn('heartbeat', 'Last heartbeat', (pool) => pool.last_heartbeat, {
    none: 'never',
    width: '7.5rem',
    line: 2,
  }),
  numberColumn(
    'running',
    'Running',
    ({ running, pending, concurrency_limit: limit }) =>
      limit === null ? running + pending || null : `${running + pending} of ${limit}`,
    { width: '6rem', from: 560 },
  ),
  numberColumn(
    'late',
    'Late',
    ({ late }) => (late > 0 ? <span className="text-late-text">{late.toLocaleString('en')}</span> : null),
    { width: '4rem', from: 560 },
  ),
  numberColumn('queues', 'Queues', ({ queues }) => queues, { width: '4.5rem', from: 760 }),
  numberColumn(
    'deployments',
    'Deployments',
    ({ name, deployments }) =>
      deployments > 0 ? (
        <Link to="/deployments" search={{ pool: name }} className="hover:underline">
          {deployments}
        </Link>
      ) : null,
    { width: '6rem', from: 760 },
  ),
];

export function PoolsPage() {
  const mayChange = useMay('work_pools:write');
  const query = useQuery(poolsQuery);
  const create = (kind?: 'primary') =>
    mayChange ? (
      <Link to="/work-pools/create" search={{}} className={buttonClass(kind)}>
        <Plus size={14} /> New work pool
      </Link>
    ) : null;
  return (
    <ListPage
      title="Work pools"
      actions={create('primary')}
      list={{ query, rows: query.data?.work_pools ?? [] }}
      columns={columns}
      pageOf={pageOf}
      empty={
        <Empty title="No work pools yet" action={create()}>
          A work pool says where runs of deployments happen: in processes, in containers, in a cloud. Workers poll it
          and start the runs.
        </Empty>
      }
    />
  );
}
