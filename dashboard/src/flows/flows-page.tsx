/** All flows, with their last runs and their next runs. */

import { getRouteApi, Link, linkOptions, useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { IconButton } from '../components/button.tsx';
import { RunBars } from '../components/chart/run-bars.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { nameColumn, numberColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage, NameFilter, SetFilter } from '../components/table/list-page.tsx';
import { Moment } from '../components/text/moment.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { StateMark } from '../design/state-mark.tsx';
import { stateKind } from '../design/states.ts';
import { runsNamed } from '../runs/list/run-fields.ts';
import { DeleteFlow } from './delete-flow.tsx';
import { type FlowRow, flowsQuery } from './queries.ts';

const route = getRouteApi('/flows');

const PLACES = 16;
const pageOf = ({ id }: FlowRow) => linkOptions({ to: '/flows/flow/$id', params: { id } });
const EXAMPLE = `from prefect import flow

@flow(log_prints=True)
def hello():
    print("Hello")

hello()`;

export function FlowsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/flows' });
  const mayDelete = useMay('flows:write');
  const list = useRows(flowsQuery(search), ({ flows }) => flows);
  const [asked, setAsked] = useState<FlowRow>();
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <>
      <ListPage
        title="Flows"
        filters={
          <>
            <NameFilter of="Flows" value={search.name} onChange={(name) => change({ name })} />
            <SetFilter name="tag" value={search.tag} onRemove={() => change({ tag: undefined })} />
          </>
        }
        list={list}
        columns={columnsOf(mayDelete ? setAsked : undefined)}
        pageOf={pageOf}
        filtered={{ nothing: 'No flow', by: { name: search.name, tag: search.tag }, change }}
        empty={
          <Empty title="No flows yet">
            <p className="mb-4">A flow appears here when it runs or is deployed for the first time.</p>
            <Snippet title="hello.py" text={EXAMPLE} />
          </Empty>
        }
      />
      <DeleteFlow flow={asked} onClose={() => setAsked(undefined)} onDeleted={() => invalidate('/views/flows')} />
    </>
  );
}

function columnsOf(remove: ((flow: FlowRow) => void) | undefined): readonly Column<FlowRow>[] {
  return [
    nameColumn('Flow', ({ name }) => name, pageOf, { width: 'minmax(10rem, 2fr)' }),
    {
      id: 'bars',
      title: 'Last 16 runs',
      width: '8.5rem',
      from: 700,
      cell: (flow) => <RunBars runs={flow.last_runs} places={PLACES} height={18} width={6} />,
    },
    {
      id: 'last',
      title: 'Last run',
      width: '9rem',
      line: 2,
      cell: ({ last_runs: runs }) => {
        const last = runs.find(({ state_type }) => state_type !== 'SCHEDULED');
        return last ? (
          <Link
            to="/runs/flow-run/$id"
            params={{ id: last.id }}
            title={last.name}
            className="inline-flex items-center gap-1.5 hover:underline"
          >
            <StateMark kind={stateKind(last.state_type, last.state_name)} alone />
            <Moment time={last.start} />
          </Link>
        ) : (
          <span className="text-quiet">never</span>
        );
      },
    },
    {
      id: 'next',
      title: 'Next run',
      width: '7rem',
      line: 2,
      from: 560,
      cell: ({ next_run: next }) =>
        next ? (
          <Link to="/runs/flow-run/$id" params={{ id: next.id }} className="hover:underline">
            <Moment time={next.start} />
          </Link>
        ) : null,
    },
    numberColumn('deployments', 'Deployments', (flow) => flow.deployments || null, { width: '6rem', from: 620 }),
    {
      id: 'runs',
      title: 'Runs',
      width: '5rem',
      align: 'right',
      from: 620,
      cell: ({ name, runs }) => (
        <Link to="/runs" search={runsNamed({ flow: name }, { span: '30d' })} className="hover:underline">
          {runs > 1000 ? '1,000+' : runs.toLocaleString('en')}
        </Link>
      ),
    },
    ...(remove
      ? [
          {
            id: 'actions',
            title: '',
            width: '2rem',
            from: 620,
            cell: (flow: FlowRow) => (
              <IconButton label={`Delete ${flow.name}`} onClick={() => remove(flow)}>
                <Trash2 size={14} />
              </IconButton>
            ),
          },
        ]
      : []),
  ];
}
