/** The MCP clients that the person has signed in with the browser. */
import { useMemo, useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ListView } from '../components/list-view.tsx';
import { Moment } from '../components/moment.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { type Connection, connectionsQuery, endConnection } from './queries.ts';

export function Connections() {
  const { query, rows, more } = useList(connectionsQuery);
  const [asked, setAsked] = useState<Connection>();
  const columns = useMemo(() => columnsOf(setAsked), []);
  return (
    <>
      <p className="mb-3 max-w-140 text-soft">
        Clients such as Claude, ChatGPT or an editor that you let use an MCP server in your name. Your role and the
        policy of the server apply to each of their requests.
      </p>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView
          query={query}
          isEmpty={rows.length === 0}
          empty={
            <Empty title="No client is connected">
              <p>Enter the address of an MCP server in a client. It opens this server in the browser and asks you.</p>
            </Empty>
          }
        >
          <DataTable label="Connected clients" columns={columns} rows={rows} idOf={({ id }) => id} onEnd={more} />
        </ListView>
      </div>
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
    {
      id: 'connected',
      title: 'Connected',
      width: '8rem',
      from: 640,
      cell: ({ createdAt }) => <Moment time={createdAt} />,
    },
    {
      id: 'used',
      title: 'Last used',
      width: '8rem',
      from: 480,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment time={lastUsedAt} /> : 'never'),
    },
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
