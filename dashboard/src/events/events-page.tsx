/** All events, newest first, updated live. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { Button } from '../components/button.tsx';
import type { Series } from '../components/chart/histogram.tsx';
import { FilteredList } from '../components/list/filtered-list.tsx';
import { ListActions } from '../components/list/list-actions.tsx';
import { useFilters } from '../components/list/use-filters.ts';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { readPast } from '../design/span.ts';
import { eventColumns } from './event-columns.tsx';
import { type EventsSearch, eventFields } from './event-fields.ts';
import { eventsQuery, eventValues, exportEvents } from './queries.ts';

const route = getRouteApi('/events');
const series: readonly Series[] = [{ key: 'events', title: 'events', fill: 'var(--control)', text: 'var(--soft)' }];

export function EventsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/events' });
  const change = useCallback(
    (part: EventsSearch) => void navigate({ search: (old) => ({ ...old, ...part }), resetScroll: false }),
    [navigate],
  );
  const filters = useFilters(eventFields, search, change);
  const { where, conditions } = filters;
  const asked = useMemo(() => ({ where, conditions, span: search.span }), [where, conditions, search.span]);
  const query = useInfiniteQuery(eventsQuery(asked));
  const pages = query.data?.pages;
  const first = pages?.[0];
  const rows = useMemo(() => pages?.flatMap(({ events }) => events) ?? [], [pages]);
  const intervals = useMemo(
    () => (first?.history ?? []).map(({ start_time, count }) => ({ start: start_time, counts: { events: count } })),
    [first],
  );
  return (
    <>
      <PageHead
        title="Events"
        actions={
          <ListActions name="events" columns={eventColumns} onExport={(format) => exportEvents(asked, format)} />
        }
      />
      <FilteredList
        name="events"
        label="Events"
        nouns={['event', 'events']}
        filters={filters}
        values={useMemo(() => eventValues(asked), [asked])}
        time={{ span: search.span, onChange: (span) => change({ span }), times: (now) => readPast(search.span, now) }}
        query={query}
        rows={rows}
        idOf={idOf}
        columns={eventColumns}
        onOpen={({ id, occurred }) =>
          void navigate({ to: '/events/event/$date/$id', params: { date: occurred.slice(0, 10), id } })
        }
        intervals={intervals}
        series={series}
        count={first?.count ?? undefined}
        since={first?.counted_since}
        searchedTo={pages?.at(-1)?.next?.occurred}
        isHeld
        empty={
          <Empty
            title="No events in this time"
            action={<Button onClick={() => change({ span: '30d' })}>Show the last 30 days</Button>}
          >
            Runs, deployments, workers and automations record events; a program records its own with{' '}
            <code className="font-mono text-xs">prefect.events.emit_event</code>.
          </Empty>
        }
      />
    </>
  );
}

const idOf = ({ id }: { readonly id: string }) => id;
