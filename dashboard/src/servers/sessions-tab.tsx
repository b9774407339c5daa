/** Sessions, for revisions of the protocol that have them, newest first. */

import { Link } from '@tanstack/react-router';
import { useList } from '../api/list.ts';
import { momentColumn, numberColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
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
  momentColumn('began', 'Started', ({ firstActivityAt }) => firstActivityAt, { from: 620 }),
  momentColumn('last', 'Last seen', ({ lastActivityAt }) => lastActivityAt, { line: 1 }),
  numberColumn('requests', 'Requests', ({ requests }) => requests, { line: 2 }),
  numberColumn('calls', 'Tool calls', ({ toolCalls }) => toolCalls, { from: 700 }),
  numberColumn(
    'errors',
    'Errors',
    ({ errors }) => <span className={errors > 0 ? 'text-failed-text' : ''}>{count(errors)}</span>,
    { width: '4rem', from: 620 },
  ),
];

export function SessionsTab({ organization, view }: TabProps) {
  const list = useList(sessionsQuery({ org: organization.slug, server: view.server.slug }));
  return (
    <ListTable
      label="Sessions"
      list={list}
      columns={columns}
      isInset
      empty={
        <p className="px-6 py-2 text-soft max-sm:px-4">
          No session yet. Clients of the revision 2026-07-28 have none; their requests are in{' '}
          <Link to="/requests" search={{ server: view.server.slug }} className="underline">
            the log
          </Link>
          .
        </p>
      }
    />
  );
}
