/** Every run of the workspace: filter, look, choose, act. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Columns3, X } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { Button, IconButton } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Histogram } from '../components/histogram.tsx';
import { Menu, MenuCheck } from '../components/menu.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { StateLabel, StateMark } from '../design/state-mark.tsx';
import { type StateKind, stateKind, stateKinds, titleOf } from '../design/states.ts';
import { duration } from '../design/time.ts';
import { setPreference, usePreferences } from '../preferences/preferences.ts';
import { cancelRuns, deleteRuns } from './actions.ts';
import { intervalsOf } from './history.ts';
import { shortMessage } from './message.ts';
import { type RunRow, runsQuery } from './queries.ts';
import type { RunsSearch } from './routes.ts';
import { DEFAULT_SPAN, spans } from './span.ts';

const route = getRouteApi('/runs');

const columns: readonly Column<RunRow>[] = [
  {
    id: 'state',
    title: 'State',
    width: '8.5rem',
    line: 1,
    cell: (run) => <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name} />,
  },
  {
    id: 'name',
    title: 'Run',
    width: 'minmax(9rem, 1.2fr)',
    line: 1,
    cell: (run) => (
      <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="font-medium hover:underline">
        {run.name}
      </Link>
    ),
  },
  {
    id: 'flow',
    title: 'Flow',
    width: 'minmax(7rem, 1fr)',
    line: 2,
    cell: (run) => <FilterLink name="flow" value={run.flow_name} />,
  },
  {
    id: 'deployment',
    title: 'Deployment',
    width: 'minmax(7rem, 1fr)',
    from: 1000,
    cell: (run) => (run.deployment_name ? <FilterLink name="deployment" value={run.deployment_name} /> : null),
  },
  {
    id: 'start',
    title: 'Start',
    width: '6rem',
    line: 2,
    cell: (run) => <Moment time={run.start_time ?? run.expected_start_time} />,
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '6rem',
    align: 'right',
    from: 620,
    cell: (run) => (run.start_time ? duration(run.run_time) : null),
  },
  {
    id: 'tries',
    title: 'Tries',
    width: '3rem',
    align: 'right',
    from: 1000,
    cell: (run) => (run.run_count > 1 ? run.run_count : null),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(8rem, 2fr)',
    from: 880,
    cell: (run) => (
      <span className="text-soft" title={run.state_message ?? undefined}>
        {run.state_type === 'COMPLETED' ? null : shortMessage(run.state_message)}
      </span>
    ),
  },
  {
    id: 'tags',
    title: 'Tags',
    width: 'minmax(4rem, .8fr)',
    from: 1150,
    cell: (run) => (
      <span className="inline-flex gap-1">
        {run.tags.map((tag) => (
          <FilterLink key={tag} name="tag" value={tag} />
        ))}
      </span>
    ),
  },
];

function FilterLink({ name, value }: { readonly name: 'flow' | 'deployment' | 'tag'; readonly value: string }) {
  return (
    <Link
      from="/runs"
      to="/runs"
      search={(old) => ({ ...old, [name]: value })}
      className="text-soft hover:text-ink hover:underline"
      title={`Only runs with this ${name}`}
    >
      {value}
    </Link>
  );
}

export function RunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/runs' });
  const queries = useQueryClient();
  const { runColumns } = usePreferences();
  const mayChange = useMay('flow_runs:write');
  const query = useInfiniteQuery(runsQuery(search));
  const [selected, setSelected] = useState<Record<string, boolean>>({});
  const [asked, setAsked] = useState<'cancel' | 'delete'>();
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ runs }) => runs) ?? [], [pages]);
  const first = pages?.[0];
  const intervals = useMemo(() => intervalsOf(first?.history), [first?.history]);
  const ids = Object.keys(selected).filter((id) => selected[id]);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const change = (part: RunsSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const isFiltered = Object.entries(search).some(([name, value]) => name !== 'span' && value !== undefined);
  const act = async (action: (ids: readonly string[]) => Promise<void>) => {
    await action(ids);
    setSelected({});
    await queries.invalidateQueries({ queryKey: ['runs'] });
  };
  return (
    <>
      <PageHead
        title="Runs"
        actions={
          <Menu
            trigger={
              <IconButton label="Choose columns">
                <Columns3 size={15} />
              </IconButton>
            }
          >
            {columns.map(({ id, title }) => {
              const shown = runColumns ?? columns.map((column) => column.id);
              return (
                <MenuCheck
                  key={id}
                  checked={shown.includes(id)}
                  onChange={(on) =>
                    setPreference('runColumns', on ? [...shown, id] : shown.filter((one) => one !== id))
                  }
                >
                  {title}
                </MenuCheck>
              );
            })}
          </Menu>
        }
      />
      {ids.length > 0 ? (
        <div
          role="toolbar"
          aria-label="Selected runs"
          className="flex h-9 items-center gap-2 bg-selected px-6 max-sm:px-4"
        >
          <span className="font-medium">{ids.length} selected</span>
          <Button onClick={() => setAsked('cancel')}>Cancel</Button>
          <Button kind="danger" onClick={() => setAsked('delete')}>
            Delete
          </Button>
          <IconButton label="Select none" onClick={() => setSelected({})}>
            <X size={14} />
          </IconButton>
        </div>
      ) : (
        <FilterLine search={search} change={change} />
      )}
      <div className="px-6 pt-2 max-sm:px-4">
        <Histogram intervals={intervals} height={48} onBrush={(start, end) => change({ span: `${start}/${end}` })} />
      </div>
      <p role="status" className="tabular px-6 pb-1 text-xs text-quiet max-sm:px-4">
        {first?.count === undefined || first.count === null
          ? ' '
          : `${first.count.toLocaleString('en')} ${first.count === 1 ? 'run' : 'runs'}`}
      </p>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={16} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <NoRuns isFiltered={isFiltered} clear={() => change(cleared)} />
      ) : (
        <DataTable
          label="Flow runs"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          shown={runColumns}
          selected={selected}
          {...(mayChange ? { onSelect: setSelected } : {})}
          onOpen={({ id }) => void navigate({ to: '/runs/flow-run/$id', params: { id } })}
          onEnd={more}
        />
      )}
      <Confirm
        isOpen={asked === 'cancel'}
        onClose={() => setAsked(undefined)}
        question={`Cancel ${ids.length} ${ids.length === 1 ? 'run' : 'runs'}?`}
        action={`Cancel ${ids.length}`}
        onConfirm={() => act(cancelRuns)}
      >
        Runs that are running are asked to stop; runs that have not started do not start. Ended runs stay as they are.
      </Confirm>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        question={`Delete ${ids.length} ${ids.length === 1 ? 'run' : 'runs'}?`}
        action={`Delete ${ids.length}`}
        onConfirm={() => act(deleteRuns)}
      >
        Their task runs, states and logs are deleted with them. This cannot be undone.
      </Confirm>
    </>
  );
}

const cleared: RunsSearch = {
  state: undefined,
  flow: undefined,
  deployment: undefined,
  tag: undefined,
  name: undefined,
};

function FilterLine({ search, change }: { readonly search: RunsSearch; readonly change: (part: RunsSearch) => void }) {
  const states = new Set(search.state?.split(',') ?? []);
  const toggle = (kind: StateKind) => {
    const next = states.has(kind) ? [...states].filter((one) => one !== kind) : [...states, kind];
    change({ state: next.length > 0 ? next.join(',') : undefined });
  };
  const isOwn = search.span?.includes('/') ?? false;
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 max-sm:px-4">
      <input
        data-filter
        type="search"
        aria-label="Runs whose name contains"
        placeholder="Name contains"
        className="field w-44"
        defaultValue={search.name}
        onChange={(event) => change({ name: event.target.value || undefined })}
      />
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">States</legend>
        {stateKinds.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={states.has(kind)}
            onClick={() => toggle(kind)}
            className="inline-flex h-(--row-control) items-center gap-1.5 rounded-control border border-line px-2 text-xs text-soft hover:bg-hover aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:text-ink"
          >
            <StateMark kind={kind} size={12} />
            <span className="max-xl:sr-only">{titleOf(kind)}</span>
          </button>
        ))}
      </fieldset>
      {(['flow', 'deployment', 'tag'] as const).map((name) =>
        search[name] ? (
          <button
            key={name}
            type="button"
            onClick={() => change({ [name]: undefined })}
            title="Remove this filter"
            className="inline-flex h-(--row-control) items-center gap-1 rounded-control bg-selected px-2 text-xs"
          >
            <span className="text-quiet">{name}</span> {search[name]} <X size={12} />
          </button>
        ) : null,
      )}
      <div className="flex-1" />
      <select
        aria-label="Time"
        className="field w-auto pr-6"
        value={isOwn ? 'own' : (search.span ?? DEFAULT_SPAN)}
        onChange={(event) => change({ span: event.target.value })}
      >
        {isOwn ? <option value="own">Chosen time</option> : null}
        {spans.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

function NoRuns({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No run matches these filters" action={<Button onClick={clear}>Remove the filters</Button>}>
        There may be runs in another span of time.
      </Empty>
    );
  }
  return (
    <Empty title="No runs in this time">
      Runs appear here as soon as a flow starts with <code className="font-mono text-xs">PREFECT_API_URL</code> set to
      this server.
    </Empty>
  );
}
