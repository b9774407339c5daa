/** Sessions, for revisions of the protocol that have them, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMore } from '../api/list.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { count } from '../design/figures.ts';
import { type ServerSession, sessionsQuery } from './queries.ts';
import type { TabProps } from './tab-props.ts';

const columns: readonly Column<ServerSession>[] = [
  { id: 'actor', title: 'Who', width: 'minmax(9rem, 1.4fr)', line: 1, cell: ({ actorName }) => actorName ?? '–' },
  {
    id: 'client',
    title: 'Client',
    width: 'minmax(7rem, 1.2fr)',
    line: 2,
    cell: ({ clientName, clientVersion }) => [clientName, clientVersion].filter(Boolean).join(' ') || '–',
  },
  { id: 'protocol', title: 'Protocol', width: '6.5rem', from: 900, cell: ({ protocolVersion }) => protocolVersion },
  {
    id: 'began',
    title: 'Began',
    width: '6rem',
    from: 620,
    cell: ({ firstActivityAt }) => <Moment time={firstActivityAt} />,
  },
  {
    id: 'last',
    title: 'Last seen',
    width: '6rem',
    line: 1,
    cell: ({ lastActivityAt }) => <Moment time={lastActivityAt} />,
  },
  {
    id: 'requests',
    title: 'Requests',
    width: '5rem',
    align: 'right',
    line: 2,
    cell: ({ requests }) => count(requests),
  },
  {
    id: 'calls',
    title: 'Tool calls',
    width: '5rem',
    align: 'right',
    from: 700,
    cell: ({ toolCalls }) => count(toolCalls),
  },
  {
    id: 'errors',
    title: 'Errors',
    width: '4rem',
    align: 'right',
    from: 620,
    cell: ({ errors }) => <span className={errors > 0 ? 'text-failed-text' : ''}>{count(errors)}</span>,
  },
];

export function SessionsTab({ organization, view }: TabProps) {
  const query = useInfiniteQuery(sessionsQuery({ org: organization.slug, server: view.server.slug }));
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]);
  const more = useMore(query);
  if (query.isPending) return <Skeleton rows={8} />;
  if (query.isError && rows.length === 0) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (rows.length === 0) {
    return (
      <p className="py-2 text-soft">
        No session yet. Clients of the revision 2026-07-28 have none; their requests are in{' '}
        <Link to="/requests" search={{ server: view.server.slug }} className="underline">
          the log
        </Link>
        .
      </p>
    );
  }
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <DataTable label="Sessions" columns={columns} rows={rows} idOf={({ id }) => id} onEnd={more} />
    </div>
  );
}
