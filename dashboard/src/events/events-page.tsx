/** All events, newest first, updated live. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMore } from '../api/list.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Histogram, type Series } from '../components/histogram.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { DEFAULT_SPAN, spans } from '../design/span.ts';
import type { EventsSearch } from './events-search.ts';
import { eventCountsQuery, eventNamesQuery, eventsQuery, type ReceivedEvent } from './queries.ts';
import { ResourceLink } from './resource.tsx';

const route = getRouteApi('/events');
const series: readonly Series[] = [{ key: 'events', title: 'events', fill: 'var(--control)', text: 'var(--soft)' }];
/** Resources in a row, in addition to the subject. */
const MOST_RELATED = 3;

const columns: readonly Column<ReceivedEvent>[] = [
  { id: 'time', title: 'Time', width: '6rem', line: 2, cell: ({ occurred }) => <Moment time={occurred} /> },
  {
    id: 'event',
    title: 'Event',
    width: 'minmax(11rem, 1.2fr)',
    line: 1,
    cell: ({ id, event, occurred }) => (
      <Link
        to="/events/event/$date/$id"
        params={{ date: occurred.slice(0, 10), id }}
        className="font-medium hover:underline"
      >
        {event}
      </Link>
    ),
  },
  {
    id: 'resource',
    title: 'About',
    width: 'minmax(10rem, 1.2fr)',
    line: 2,
    cell: ({ resource }) => <ResourceLink resource={resource} hasKind />,
  },
  {
    id: 'related',
    title: 'With',
    width: 'minmax(10rem, 1.6fr)',
    from: 900,
    cell: ({ related = [] }) => (
      <span className="inline-flex max-w-full gap-3 text-soft">
        {related.slice(0, MOST_RELATED).map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one resource may take part in several roles.
          <span key={index} className="truncate">
            <ResourceLink resource={one} hasKind />
          </span>
        ))}
        {related.length > MOST_RELATED ? <span className="text-quiet">+{related.length - MOST_RELATED}</span> : null}
      </span>
    ),
  },
];

const cleared: EventsSearch = { event: undefined, resource: undefined, q: undefined };

export function EventsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/events' });
  const query = useInfiniteQuery(eventsQuery(search));
  const { data: counts } = useQuery(eventCountsQuery(search));
  const pages = query.data?.pages;
  const all = useMemo(() => pages?.flatMap(({ events }) => events) ?? [], [pages]);
  // Events that arrive while the pointer is on the table are held back, so that no row moves away from under the
  // pointer.
  const [anchor, setAnchor] = useState<string>();
  const waiting = Math.max(0, anchor === undefined ? 0 : all.findIndex(({ id }) => id === anchor));
  const rows = useMemo(() => all.slice(waiting), [all, waiting]);
  const intervals = useMemo(
    () => (counts ?? []).map(({ start_time, count }) => ({ start: start_time, counts: { events: count } })),
    [counts],
  );
  const more = useMore(query);
  const change = (part: EventsSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const total = pages?.[0]?.total;
  const isFiltered = Boolean(search.event ?? search.resource ?? search.q);
  return (
    <>
      <PageHead title="Events" />
      <FilterLine search={search} change={change} />
      <div className="px-6 pt-2 max-sm:px-4">
        <Histogram
          intervals={intervals}
          height={48}
          series={series}
          subject="Events"
          onBrush={(start, end) => change({ span: `${start}/${end}` })}
        />
      </div>
      <p role="status" className="tabular px-6 pb-1 text-xs text-quiet max-sm:px-4">
        {total === undefined ? ' ' : `${total.toLocaleString('en')} ${total === 1 ? 'event' : 'events'}`}
        {waiting > 0 ? `, ${waiting} new: move the pointer off the table to show them` : null}
      </p>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={16} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <NoEvents isFiltered={isFiltered} clear={() => change(cleared)} widen={() => change({ span: '30d' })} />
      ) : (
        <div onPointerEnter={() => setAnchor(rows[0]?.id)} onPointerLeave={() => setAnchor(undefined)}>
          <DataTable
            label="Events"
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            onOpen={({ id, occurred }) =>
              void navigate({ to: '/events/event/$date/$id', params: { date: occurred.slice(0, 10), id } })
            }
            onEnd={more}
          />
        </div>
      )}
    </>
  );
}

interface FilterProps {
  readonly search: EventsSearch;
  readonly change: (part: EventsSearch) => void;
}

function FilterLine({ search, change }: FilterProps) {
  const [isAsked, setAsked] = useState(false);
  const { data: names = [] } = useQuery({ ...eventNamesQuery(search.span), enabled: isAsked });
  const isOwn = search.span?.includes('/') ?? false;
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 max-sm:px-4">
      <input
        data-filter
        // A new value from the address resets the field.
        key={`event ${search.event}`}
        type="search"
        list="event-names"
        aria-label="Events whose name begins with"
        placeholder="Event begins with"
        className="field w-52"
        defaultValue={search.event}
        onFocus={() => setAsked(true)}
        onBlur={(event) => change({ event: event.target.value.trim() || undefined })}
        onKeyDown={(event) => event.key === 'Enter' && change({ event: event.currentTarget.value.trim() || undefined })}
      />
      <datalist id="event-names">
        {names.map(({ value, count }) => (
          <option key={value} value={value}>
            {count}
          </option>
        ))}
      </datalist>
      <input
        key={`resource ${search.resource}`}
        type="search"
        aria-label="Resources whose id begins with"
        placeholder="Resource id begins with"
        className="field w-56"
        defaultValue={search.resource}
        onBlur={(event) => change({ resource: event.target.value.trim() || undefined })}
        onKeyDown={(event) =>
          event.key === 'Enter' && change({ resource: event.currentTarget.value.trim() || undefined })
        }
      />
      <input
        key={`words ${search.q}`}
        type="search"
        aria-label="Events that contain"
        placeholder="Contains"
        className="field w-40"
        defaultValue={search.q}
        onBlur={(event) => change({ q: event.target.value.trim() || undefined })}
        onKeyDown={(event) => event.key === 'Enter' && change({ q: event.currentTarget.value.trim() || undefined })}
      />
      {search.event || search.resource || search.q ? (
        <Button kind="quiet" onClick={() => change(cleared)}>
          <X size={13} />
          Remove the filters
        </Button>
      ) : null}
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

interface NoEventsProps {
  readonly isFiltered: boolean;
  readonly clear: () => void;
  readonly widen: () => void;
}

function NoEvents({ isFiltered, clear, widen }: NoEventsProps) {
  if (isFiltered) {
    return (
      <Empty title="No event matches these filters" action={<Button onClick={clear}>Remove the filters</Button>}>
        There may be events in another span of time.
      </Empty>
    );
  }
  return (
    <Empty title="No events in this time" action={<Button onClick={widen}>Show the last 30 days</Button>}>
      Runs, deployments, workers and automations record events; a program records its own with{' '}
      <code className="font-mono text-xs">prefect.events.emit_event</code>.
    </Empty>
  );
}
