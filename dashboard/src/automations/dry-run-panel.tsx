/** Simulates a trigger on the stored events and shows when it would have fired. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Histogram, type Series } from '../components/chart/histogram.tsx';
import { Section } from '../components/page.tsx';
import { Moment } from '../components/text/moment.tsx';
import { ResourceLink } from '../events/resource.tsx';
import { type DryRun, dryRunQuery, type Trigger } from './queries.ts';
import { missedSentence } from './sentence.ts';

const spans = [
  [1, 'past day'],
  [7, 'past week'],
] as const;

const series: readonly Series[] = [
  { key: 'fired', title: 'times fired', fill: 'var(--running)', text: 'var(--running-text)' },
  { key: 'matched', title: 'events matched', fill: 'var(--control)', text: 'var(--soft)' },
];

/** `trigger` is undefined while it is invalid. */
export function DryRunPanel({ trigger }: { readonly trigger: Trigger | undefined }) {
  const [days, setDays] = useState<number>(1);
  // The trigger of the shown result, which stays while another one is being edited.
  const [tried, setTried] = useState<Trigger>();
  const query = useQuery({ ...dryRunQuery(tried as Trigger, days), enabled: tried !== undefined, retry: false });
  const isOther = tried !== undefined && JSON.stringify(tried) !== JSON.stringify(trigger);
  return (
    <Section
      title="Dry run"
      aside={
        <span className="inline-flex items-center gap-2">
          <select
            aria-label="Stored events of"
            className="field w-auto"
            value={days}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {spans.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
          <Button
            disabled={!trigger || query.isFetching}
            onClick={() => {
              if (isOther || tried === undefined) setTried(trigger);
              else void query.refetch();
            }}
          >
            Try it
          </Button>
        </span>
      }
      className="min-w-0"
    >
      <div className="border-t border-line pt-2">
        {tried === undefined ? (
          <p className="text-quiet">Tests the trigger with stored events. No action runs.</p>
        ) : query.isError ? (
          <p role="alert" className="text-failed-text">
            {query.error.message}
          </p>
        ) : query.data ? (
          <>
            {isOther ? (
              <p className="mb-2 text-late-text">The trigger changed after this dry run. Run it again.</p>
            ) : null}
            <Outcome view={query.data} />
          </>
        ) : (
          <p className="text-quiet">Reading events …</p>
        )}
      </div>
    </Section>
  );
}

function Outcome({ view }: { readonly view: DryRun }) {
  const intervals = useMemo(
    () =>
      view.history.map(({ start, matched, fired }) => ({
        start,
        counts: { fired, matched: Math.max(0, matched - fired) },
      })),
    [view.history],
  );
  const events = `${view.matched.toLocaleString('en')} ${view.matched === 1 ? 'event' : 'events'}`;
  const times = `${view.fired.toLocaleString('en')} ${view.fired === 1 ? 'time' : 'times'}`;
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-lg">
        It would have fired <b className="font-semibold">{times}</b>; {events} matched.
      </p>
      {view.missed.length > 0 ? <p className="text-late-text">{missedSentence(view.missed)}</p> : null}
      {view.is_complete ? null : (
        <p className="text-late-text">
          The dry run ended early. It covers the time until <Moment time={view.until} absolute />.
        </p>
      )}
      <Histogram intervals={intervals} height={64} series={series} subject="Firings" />
      {view.firings.length > 0 ? (
        <div>
          <h3 className="mb-1 text-xs text-quiet">Firings, the newest {view.firings.length}</h3>
          <ul className="max-h-72 overflow-y-auto border-t border-line">
            {view.firings.map(({ triggered, event, labels }, index) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: two may have fired at one time.
                key={index}
                className="ruled grid min-h-(--row) grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-3"
              >
                <Moment time={triggered} />
                <span className="truncate">
                  {event ? (
                    <>
                      <Link
                        to="/events/event/$date/$id"
                        params={{ date: event.occurred.slice(0, 10), id: event.id }}
                        className="hover:underline"
                      >
                        {event.event}
                      </Link>{' '}
                      <ResourceLink resource={event.resource} />
                    </>
                  ) : (
                    <span className="text-soft">{Object.values(labels).join(', ') || 'No event came'}</span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ) : view.events.length > 0 ? (
        <p className="text-soft">
          The last event that matched: {view.events[0]?.event} <Moment time={view.events[0]?.occurred} />.
        </p>
      ) : null}
    </div>
  );
}
