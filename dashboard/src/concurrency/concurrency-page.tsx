/** The concurrency limits: the holders of their slots, and the runs that wait. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { PageHead } from '../components/page.tsx';
import { Snippet } from '../components/snippet.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { duration } from '../design/time.ts';
import { DeleteLimit } from './delete-limit.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { HolderLink, kindTitles, limitTitle, SlotMeter } from './limit-name.tsx';
import { type LimitRow, limitsQuery } from './queries.ts';

const route = getRouteApi('/concurrency');
const kinds = ['global', 'tag', 'deployment'] as const;
const MOST_HOLDERS = 2;

export function ConcurrencyPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/concurrency' });
  const mayChange = useMay('concurrency_limits:write');
  const query = useInfiniteQuery(limitsQuery);
  const [edited, setEdited] = useState<LimitRow | 'new'>();
  const [asked, setAsked] = useState<LimitRow>();
  const all = useMemo(() => query.data?.pages.flatMap(({ limits }) => limits) ?? [], [query.data]);
  const wanted = search.name?.toLowerCase() ?? '';
  const rows = all.filter(
    (limit) =>
      (search.kind === undefined || limit.kind === search.kind) && limitTitle(limit).toLowerCase().includes(wanted),
  );
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const reread = () => invalidate('/views/concurrency_limits');
  const columns = columnsOf(mayChange ? { edit: setEdited, remove: setAsked } : undefined);
  return (
    <>
      <PageHead
        title="Concurrency"
        actions={
          mayChange ? (
            <Button kind="primary" onClick={() => setEdited('new')}>
              <Plus size={14} />
              New limit
            </Button>
          ) : null
        }
      />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Limits whose name contains"
          placeholder="Name contains"
          className="field w-56"
          defaultValue={search.name}
          onChange={(event) => change({ name: event.target.value || undefined })}
        />
        <fieldset className="flex gap-1">
          <legend className="sr-only">Kinds</legend>
          {kinds.map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={search.kind === kind}
              onClick={() => change({ kind: search.kind === kind ? undefined : kind })}
              className="h-(--row-control) rounded-control border border-line px-2 text-xs text-soft hover:bg-hover aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:text-ink"
            >
              {kindTitles[kind]}
            </button>
          ))}
        </fieldset>
      </div>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={8} />
        </div>
      ) : query.isError && all.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length > 0 ? (
        <DataTable
          label="Concurrency limits"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/concurrency-limits/concurrency-limit/$id', params: { id } })}
          onEnd={() => {
            if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
          }}
        />
      ) : all.length > 0 ? (
        <Empty
          title="No limit matches these filters"
          action={<Button onClick={() => change({ kind: undefined, name: undefined })}>Remove the filters</Button>}
        />
      ) : (
        <Empty
          title="No concurrency limits yet"
          action={mayChange ? <Button onClick={() => setEdited('new')}>Create a limit</Button> : null}
        >
          <p className="mb-4">
            A limit bounds how many may use something at a time: a database, an API, tasks with a tag.
          </p>
          <Snippet
            title="In a flow"
            text={
              'from prefect.concurrency.sync import concurrency\n\nwith concurrency("database", occupy=1):\n    load()'
            }
          />
        </Empty>
      )}
      {edited === undefined ? null : (
        <LimitDialog
          limit={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            setEdited(undefined);
            void reread();
          }}
        />
      )}
      {asked ? <DeleteLimit limit={asked} onClose={() => setAsked(undefined)} onDeleted={reread} /> : null}
    </>
  );
}

interface Changes {
  readonly edit: (limit: LimitRow) => void;
  readonly remove: (limit: LimitRow) => void;
}

/** `changes` is undefined for a reader, who sees no buttons for them. */
function columnsOf(changes: Changes | undefined): readonly Column<LimitRow>[] {
  return [
    {
      id: 'name',
      title: 'Limit',
      width: 'minmax(9rem, 1.4fr)',
      line: 1,
      cell: (limit) => (
        <Link
          to="/concurrency-limits/concurrency-limit/$id"
          params={{ id: limit.id }}
          className="font-medium hover:underline"
        >
          {limitTitle(limit)}
        </Link>
      ),
    },
    {
      id: 'kind',
      title: 'Of',
      width: '6rem',
      from: 620,
      cell: ({ kind }) => <span className="text-soft">{kindTitles[kind]}</span>,
    },
    { id: 'slots', title: 'Slots', width: '13rem', line: 2, cell: (limit) => <SlotMeter limit={limit} /> },
    {
      id: 'holders',
      title: 'Held by',
      width: 'minmax(9rem, 1.6fr)',
      from: 880,
      cell: (limit) => <Holders limit={limit} />,
    },
    {
      id: 'waiting',
      title: 'Waiting',
      width: '6rem',
      align: 'right',
      from: 760,
      cell: ({ waiter_count, denied_slots }) =>
        waiter_count > 0 ? (
          `${waiter_count} ${waiter_count === 1 ? 'run' : 'runs'}`
        ) : denied_slots > 0 ? (
          <span title="Estimated number of recently refused slots that clients still request">≈ {denied_slots}</span>
        ) : null,
    },
    {
      id: 'rate',
      title: 'Frees',
      width: '7rem',
      align: 'right',
      from: 1000,
      cell: ({ slot_decay_per_second: decay }) =>
        decay > 0 ? `1 in ${duration(1 / decay)}` : <span className="text-quiet">on release</span>,
    },
    {
      id: 'actions',
      title: '',
      width: '4rem',
      align: 'right',
      line: 1,
      cell: (limit) => (
        <span className="inline-flex">
          {limit.kind === 'deployment' || !changes ? null : (
            <>
              <IconButton label={`Change ${limitTitle(limit)}`} onClick={() => changes.edit(limit)}>
                <Pencil size={13} />
              </IconButton>
              <IconButton label={`Delete ${limitTitle(limit)}`} onClick={() => changes.remove(limit)}>
                <Trash2 size={13} />
              </IconButton>
            </>
          )}
        </span>
      ),
    },
  ];
}

function Holders({ limit }: { readonly limit: LimitRow }) {
  const { holders, holder_count, unleased_slots } = limit;
  const more = holder_count - Math.min(MOST_HOLDERS, holders.length);
  return (
    <span className="inline-flex max-w-full gap-2">
      {holders.slice(0, MOST_HOLDERS).map((holder) => (
        <span key={holder.lease_id} className="truncate">
          <HolderLink {...holder} />
        </span>
      ))}
      {more > 0 ? <span className="text-quiet">+{more}</span> : null}
      {unleased_slots > 0 && limit.slot_decay_per_second === 0 ? (
        <span className="text-quiet">{unleased_slots} without a lease</span>
      ) : null}
    </span>
  );
}
