/** The MCP clients that the person has signed in with the browser. */

import { useMemo, useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { type Connection, connectionsQuery, endConnection } from './queries.ts';

export function Connections() {
  const list = useList(connectionsQuery);
  const [asked, setAsked] = useState<Connection>();
  const columns = useMemo(() => columnsOf(setAsked), []);
  return (
    <>
      <Lead text="Clients such as Claude, ChatGPT or an editor that you let use an MCP server in your name. Your role and the policy of the server apply to each of their requests." />
      <ListTable
        label="Connected clients"
        list={list}
        columns={columns}
        isInset
        empty={
          <Empty title="No client is connected">
            <p>Enter the address of an MCP server in a client. It opens this server in the browser and asks you.</p>
          </Empty>
        }
      />
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`Disconnect ${asked?.clientName ?? 'the client'}?`}
        action="Disconnect"
        onConfirm={async () => {
          if (asked) await endConnection(asked.id);
          await invalidate('/me/connections');
        }}
      >
        Its next request to {asked?.server.name} is refused. It can ask you again.
      </Confirm>
    </>
  );
}

function columnsOf(ask: (connection: Connection) => void): readonly Column<Connection>[] {
  return [
    {
      id: 'client',
      title: 'Client',
      width: 'minmax(10rem, 1fr)',
      line: 1,
      cell: ({ clientName, returnsTo }) => <span title={`It received its access at ${returnsTo}`}>{clientName}</span>,
    },
    {
      id: 'server',
      title: 'Server',
      width: 'minmax(8rem, 1fr)',
      line: 2,
      cell: ({ server }) => `${server.organization} / ${server.name}`,
    },
    momentColumn('connected', 'Connected', ({ createdAt }) => createdAt, { width: '8rem', from: 640 }),
    momentColumn('used', 'Last used', ({ lastUsedAt }) => lastUsedAt, { none: 'never', width: '8rem', from: 480 }),
    {
      id: 'end',
      title: 'Action',
      width: '7rem',
      line: 1,
      align: 'right',
      cell: (connection) => (
        <Button kind="quiet" aria-label={`Disconnect ${connection.clientName}`} onClick={() => ask(connection)}>
          Disconnect
        </Button>
      ),
    },
  ];
}
