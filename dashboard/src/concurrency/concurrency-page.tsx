/** The concurrency limits: the holders of their slots, and the runs that wait. */

import { getRouteApi, linkOptions, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, NewButton } from '../components/button.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import {
  actionsColumn,
  type Changes,
  EditAndDelete,
  nameColumn,
  numberColumn,
  textColumn,
} from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage, NameFilter } from '../components/table/list-page.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { counted } from '../design/figures.ts';
import { duration } from '../design/time.ts';
import { DeleteLimit } from './delete-limit.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { HolderLink, kindTitles, limitTitle, SlotMeter } from './limit-name.tsx';
import { type LimitRow, limitsQuery } from './queries.ts';

const route = getRouteApi('/concurrency');
const kinds = ['global', 'tag', 'deployment'] as const;
const MOST_HOLDERS = 2;
const pageOf = ({ id }: LimitRow) => linkOptions({ to: '/concurrency-limits/concurrency-limit/$id', params: { id } });

export function ConcurrencyPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/concurrency' });
  const mayChange = useMay('concurrency_limits:write');
  const list = useRows(limitsQuery, ({ limits }) => limits);
  const [edited, setEdited] = useState<LimitRow | 'new'>();
  const [asked, setAsked] = useState<LimitRow>();
  const wanted = search.name?.toLowerCase() ?? '';
  const rows = list.rows.filter(
    (limit) =>
      (search.kind === undefined || limit.kind === search.kind) && limitTitle(limit).toLowerCase().includes(wanted),
  );
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const reread = () => invalidate('/views/concurrency_limits');
  const columns = columnsOf(mayChange ? { edit: setEdited, remove: setAsked } : undefined);
  return (
    <>
      <ListPage
        title="Concurrency"
        label="Concurrency limits"
        actions={mayChange ? <NewButton onClick={() => setEdited('new')}>New limit</NewButton> : null}
        filters={
          <>
            <NameFilter of="Limits" value={search.name} onChange={(name) => change({ name })} />
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
          </>
        }
        list={list}
        rows={rows}
        columns={columns}
        pageOf={pageOf}
        filtered={{ nothing: 'No limit', by: { name: search.name, kind: search.kind }, change }}
        empty={
          <Empty
            title="No concurrency limits yet"
            action={mayChange ? <Button onClick={() => setEdited('new')}>New limit</Button> : null}
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
        }
      />
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

/** `changes` is undefined for a reader, who sees no buttons for them. */
function columnsOf(changes: Changes<LimitRow> | undefined): readonly Column<LimitRow>[] {
  return [
    nameColumn('Limit', limitTitle, pageOf),
    textColumn('kind', 'Kind', ({ kind }) => kindTitles[kind], { width: '6rem', from: 620 }),
    { id: 'slots', title: 'Slots', width: '13rem', line: 2, cell: (limit) => <SlotMeter limit={limit} /> },
    {
      id: 'holders',
      title: 'Held by',
      width: 'minmax(9rem, 1.6fr)',
      from: 880,
      cell: (limit) => <Holders limit={limit} />,
    },
    numberColumn(
      'waiting',
      'Waiting',
      ({ waiter_count, denied_slots }) =>
        waiter_count > 0 ? (
          counted(waiter_count, 'run')
        ) : denied_slots > 0 ? (
          <span title="Estimated number of recently refused slots that clients still request">≈ {denied_slots}</span>
        ) : null,
      { width: '6rem', from: 760 },
    ),
    numberColumn(
      'rate',
      'Expires',
      ({ slot_decay_per_second: decay }) =>
        decay > 0 ? `1 in ${duration(1 / decay)}` : <span className="text-quiet">on release</span>,
      { width: '7rem', from: 1000 },
    ),
    actionsColumn('4rem', (limit) =>
      limit.kind === 'deployment' || !changes ? null : (
        <EditAndDelete name={limitTitle(limit)} row={limit} {...changes} />
      ),
    ),
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
