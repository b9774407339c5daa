/** The accounts that the person has connected at MCP servers. */

import { Link } from '@tanstack/react-router';
import { useList } from '../api/list.ts';
import { buttonClass } from '../components/button.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { type OwnServerAccount, serverAccountsQuery } from './queries.ts';

export function ServerAccounts() {
  return (
    <>
      <Lead text="At some MCP servers you use an account of your own. The gateway keeps its key or sign-in encrypted and uses it for your requests only." />
      <ListTable
        label="Accounts at servers"
        list={useList(serverAccountsQuery)}
        columns={columns}
        isInset
        empty={
          <Empty title="No account is connected">
            <p>A server that needs one says so on its page, and in the error of your first request.</p>
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<OwnServerAccount>[] = [
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
  { id: 'kind', title: 'Kind', width: '7rem', line: 2, cell: ({ kind }) => (kind === 'key' ? 'key' : 'sign-in') },
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
  momentColumn('connected', 'Connected', ({ connectedAt }) => connectedAt, { width: '8rem', from: 640 }),
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
