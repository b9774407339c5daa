/** The accounts that the person has connected at MCP servers. */

import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useList } from '../api/list.ts';
import { buttonClass } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { ListView } from '../components/list-view.tsx';
import { Moment } from '../components/moment.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { type OwnServerAccount, serverAccountsQuery } from './queries.ts';

export function ServerAccounts() {
  const { query, rows, more } = useList(serverAccountsQuery);
  const columns = useMemo(columnsOf, []);
  return (
    <>
      <p className="mb-3 max-w-140 text-soft">
        At some MCP servers you use an account of your own. The gateway keeps its key or sign-in encrypted and uses it
        for your requests only.
      </p>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView
          query={query}
          isEmpty={rows.length === 0}
          empty={
            <Empty title="No account is connected">
              <p>A server that needs one says so on its page, and in the error of your first request.</p>
            </Empty>
          }
        >
          <DataTable label="Accounts at servers" columns={columns} rows={rows} idOf={({ id }) => id} onEnd={more} />
        </ListView>
      </div>
    </>
  );
}

function columnsOf(): readonly Column<OwnServerAccount>[] {
  return [
    {
      id: 'server',
      title: 'Server',
      width: 'minmax(10rem, 1fr)',
      line: 1,
      cell: ({ server }) => (
        <Link to="/servers/$server" params={{ server: server.slug }} className="hover:underline">
          {server.organization} / {server.name}
        </Link>
      ),
    },
    {
      id: 'kind',
      title: 'Kind',
      width: '7rem',
      line: 2,
      cell: ({ kind }) => (kind === 'key' ? 'key' : 'sign-in'),
    },
    {
      id: 'state',
      title: 'State',
      width: 'minmax(8rem, 1fr)',
      line: 2,
      cell: ({ state, problem }) =>
        state === 'connected' ? (
          <StateLabel kind="COMPLETED" name="Connected" />
        ) : (
          <span title={problem ?? undefined}>
            <StateLabel kind="FAILED" name="Ended" />
          </span>
        ),
    },
    {
      id: 'connected',
      title: 'Connected',
      width: '8rem',
      from: 640,
      cell: ({ connectedAt }) => <Moment time={connectedAt} />,
    },
    {
      id: 'again',
      title: 'Action',
      width: '8.5rem',
      line: 1,
      align: 'right',
      cell: ({ server, connectUrl }) => (
        <a href={connectUrl} aria-label={`Connect again at ${server.name}`} className={buttonClass('quiet')}>
          Connect again
        </a>
      ),
    },
  ];
}
