/** All flows, with their last runs and their next runs. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Trash2, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { RunBars } from '../components/run-bars.tsx';
import { Snippet } from '../components/snippet.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { StateMark } from '../design/state-mark.tsx';
import { stateKind } from '../design/states.ts';
import { DeleteFlow } from './delete-flow.tsx';
import { type FlowRow, flowsQuery } from './queries.ts';

const route = getRouteApi('/flows');

const PLACES = 16;
const EXAMPLE = `from prefect import flow

@flow(log_prints=True)
def hello():
    print("Hello")

hello()`;

export function FlowsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/flows' });
  const mayDelete = useMay('flows:write');
  const query = useInfiniteQuery(flowsQuery(search));
  const [asked, setAsked] = useState<FlowRow>();
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ flows }) => flows) ?? [], [pages]);
  const more = useMore(query);
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <>
      <PageHead title="Flows" />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Flows whose name contains"
          placeholder="Name contains"
          className="field w-56"
          defaultValue={search.name}
          onChange={(event) => change({ name: event.target.value || undefined })}
        />
        {search.tag ? (
          <Button kind="quiet" title="Remove this filter" onClick={() => change({ tag: undefined })}>
            <span className="text-quiet">tag</span> {search.tag} <X size={12} />
          </Button>
        ) : null}
      </div>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={10} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length > 0 ? (
        <DataTable
          label="Flows"
          columns={columnsOf(mayDelete ? setAsked : undefined)}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/flows/flow/$id', params: { id } })}
          onEnd={more}
        />
      ) : search.name || search.tag ? (
        <Empty
          title="No flow matches these filters"
          action={<Button onClick={() => change({ name: undefined, tag: undefined })}>Remove the filters</Button>}
        />
      ) : (
        <Empty title="No flows yet">
          <p className="mb-4">A flow appears here when it runs or is deployed for the first time.</p>
          <Snippet title="hello.py" text={EXAMPLE} />
        </Empty>
      )}
      <DeleteFlow flow={asked} onClose={() => setAsked(undefined)} onDeleted={() => invalidate('/views/flows')} />
    </>
  );
}

function columnsOf(remove: ((flow: FlowRow) => void) | undefined): readonly Column<FlowRow>[] {
  return [
    {
      id: 'name',
      title: 'Flow',
      width: 'minmax(10rem, 2fr)',
      line: 1,
      cell: (flow) => (
        <Link to="/flows/flow/$id" params={{ id: flow.id }} className="font-medium hover:underline">
          {flow.name}
        </Link>
      ),
    },
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
    {
      id: 'deployments',
      title: 'Deployments',
      width: '6rem',
      align: 'right',
      from: 620,
      cell: ({ deployments }) => deployments || null,
    },
    {
      id: 'runs',
      title: 'Runs',
      width: '5rem',
      align: 'right',
      from: 620,
      cell: ({ name, runs }) => (
        <Link to="/runs" search={{ flow: name, span: '30d' }} className="hover:underline">
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
