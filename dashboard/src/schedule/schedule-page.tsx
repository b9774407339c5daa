/** The planned runs of all schedules in the next seven days, and the hours in which they exceed a limit. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import { PageHead, Section } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { useNow } from '../components/text/moment.tsx';
import { duration } from '../design/time.ts';
import { usePreferences } from '../preferences/preferences.ts';
import { type Day, daysFrom } from './days.ts';
import { scheduleWords, zoneOf } from './words.ts';

type View = components['schemas']['ScheduleView'];
type Planned = components['schemas']['PlannedSchedule'];
type Clash = components['schemas']['LimitClash'];

const route = getRouteApi('/schedule');

const DAYS = 7;
const MOST_SPANS_TOLD = 3;

const scheduleQuery = read.one('/views/schedule', { params: { query: { days: DAYS } } });

export function SchedulePage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/schedule' });
  const preferences = usePreferences();
  const local = preferences.zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = search.zone ?? local;
  const { data: view, isPending, error, refetch } = useQuery(scheduleQuery);
  const zones = [...new Set([local, 'UTC', ...(view?.schedules ?? []).map(({ schedule }) => zoneOf(schedule))])];
  const wanted = search.name?.toLowerCase() ?? '';
  const shown = (view?.schedules ?? []).filter(({ deployment_name, flow_name }) =>
    `${flow_name} ${deployment_name}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <PageHead
        title="Schedule"
        actions={
          <select
            aria-label="Zone"
            className="field w-auto pr-6"
            value={zone}
            onChange={({ target }) =>
              void navigate({ search: (old) => ({ ...old, zone: target.value }), replace: true })
            }
          >
            {[...new Set([...zones, zone])].map((one) => (
              <option key={one} value={one}>
                {one === local ? `${one}, yours` : one}
              </option>
            ))}
          </select>
        }
      />
      {isPending ? (
        <div className="px-6">
          <Skeleton rows={10} />
        </div>
      ) : !view ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : view.schedules.length === 0 ? (
        <Empty title="Nothing is planned">
          No deployment has an active schedule. A schedule is added on the page of its{' '}
          <Link to="/deployments" search={{}} className="text-accent underline">
            deployment
          </Link>
          .
        </Empty>
      ) : (
        <div className="flex flex-col gap-6 px-6 max-sm:px-4">
          {view.clashes.length > 0 ? <Clashes view={view} zone={zone} /> : null}
          <Section
            title="The next seven days"
            aside={`${shown.reduce((sum, { count }) => sum + count, 0).toLocaleString('en')} runs of ${shown.length} ${shown.length === 1 ? 'schedule' : 'schedules'}`}
          >
            <input
              data-filter
              type="search"
              aria-label="Deployments or flows whose name contains"
              placeholder="Name of a deployment or flow"
              className="field mb-2 w-60"
              defaultValue={search.name}
              onChange={({ target }) =>
                void navigate({ search: (old) => ({ ...old, name: target.value || undefined }), replace: true })
              }
            />
            {shown.length === 0 ? (
              <p className="py-2 text-quiet">No schedule has this name.</p>
            ) : (
              <Week schedules={shown} clashes={view.clashes} zone={zone} />
            )}
            {view.left_off > 0 ? (
              <p className="pt-2 text-xs text-quiet">{view.left_off} more schedules are not shown.</p>
            ) : null}
          </Section>
        </div>
      )}
    </>
  );
}

function Clashes({ view, zone }: { readonly view: View; readonly zone: string }) {
  return (
    <Section title="More at a time than a limit allows">
      <ul className="border-t border-line">
        {view.clashes.map((clash) => {
          const times = clash.spans.slice(0, MOST_SPANS_TOLD).map(({ start }) => dayAndTime(start, zone));
          const more = clash.count - times.length;
          const peak = Math.max(...clash.spans.map((span) => span.peak));
          const members = view.schedules.filter(({ id }) => clash.schedule_ids.includes(id));
          const longest = Math.max(0, ...members.map(({ run_time }) => run_time ?? 0));
          return (
            <li key={clash.id} className="ruled py-1.5">
              <p>
                <LimitLink clash={clash} /> <span className="text-soft">allows {clash.limit} at a time;</span>{' '}
                <span className="font-medium text-late-text">{peak} are planned</span>{' '}
                <span className="tabular text-soft">
                  at {times.join(', ')}
                  {more > 0 ? ` and ${more} more times` : ''}
                </span>
              </p>
              <p className="text-xs text-quiet">
                {members.map(({ deployment_name }) => deployment_name).join(', ')}
                {longest > 0 ? `; runs take up to ${duration(longest)} on average` : ''}. The later ones wait until one
                has ended.
              </p>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function LimitLink({ clash }: { readonly clash: Clash }) {
  if (clash.type === 'work_pool') {
    return (
      <Link to="/work-pools/work-pool/$name" params={{ name: clash.name }} className="font-medium hover:underline">
        Work pool {clash.name}
      </Link>
    );
  }
  return (
    <Link
      to="/concurrency-limits/concurrency-limit/$id"
      params={{ id: clash.id }}
      className="font-medium hover:underline"
    >
      The limit of {clash.name}
    </Link>
  );
}

interface WeekProps {
  readonly schedules: readonly Planned[];
  readonly clashes: readonly Clash[];
  readonly zone: string;
}

function Week({ schedules, clashes, zone }: WeekProps) {
  const now = useNow();
  const hour = Math.floor(now / 3_600_000);
  const days = useMemo(() => daysFrom(hour * 3_600_000, DAYS, zone), [hour, zone]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what scrolls.
    <section className="overflow-x-auto" aria-label="Calendar" tabIndex={0}>
      <table className="w-full min-w-200 table-fixed border-t border-line">
        <colgroup>
          <col className="w-56" />
          {days.map(({ start }) => (
            <col key={start} />
          ))}
        </colgroup>
        <thead>
          <tr className="ruled text-left text-xs text-quiet">
            <th className="py-1 font-normal">Deployment</th>
            {days.map(({ start, title }) => (
              <th key={start} className="border-l border-line py-1 pl-1.5 font-normal">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {schedules.map((schedule) => (
            <Row
              key={schedule.id}
              schedule={schedule}
              days={days}
              zone={zone}
              now={now}
              spans={clashes.filter((clash) => clash.schedule_ids.includes(schedule.id)).flatMap(({ spans }) => spans)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  readonly schedule: Planned;
  readonly days: readonly Day[];
  readonly zone: string;
  readonly now: number;
  readonly spans: Clash['spans'];
}

function Row({ schedule, days, zone, now, spans }: RowProps) {
  const { deployment_id: id, deployment_name: name, flow_name, times, count, is_readable: isReadable } = schedule;
  const moments = times.map((time) => Date.parse(time));
  const words = `${scheduleWords(schedule.schedule)} (${zoneOf(schedule.schedule)})`;
  const isDense = count > times.length;
  return (
    <tr className="ruled hover:bg-hover">
      <th scope="row" className="max-w-56 py-1 pr-2 text-left font-normal">
        <Link
          to="/deployments/deployment/$id"
          params={{ id }}
          className="block truncate font-medium hover:underline"
          title={`${flow_name} / ${name}`}
        >
          {name}
        </Link>
        <span className="block truncate text-2xs text-quiet" title={words}>
          {words}
        </span>
      </th>
      {isDense || !isReadable ? (
        <td colSpan={days.length} className="border-l border-line px-1.5 py-1">
          {isReadable ? (
            <span className="block rounded-bar bg-selected px-2 text-xs text-soft">
              {scheduleWords(schedule.schedule)}: about {count.toLocaleString('en')} runs
            </span>
          ) : (
            <span className="text-xs text-failed-text">The server cannot compute this schedule.</span>
          )}
        </td>
      ) : (
        days.map((day) => (
          <td key={day.start} className="border-l border-line p-0 align-middle">
            <DayStrip day={day} moments={moments} zone={zone} now={now} spans={spans} />
          </td>
        ))
      )}
    </tr>
  );
}

interface StripProps {
  readonly day: Day;
  readonly moments: readonly number[];
  readonly zone: string;
  readonly now: number;
  readonly spans: Clash['spans'];
}

const HEIGHT = 28;
/** Runs of a day that are listed with their time; further ones are only drawn. */
const MOST_NAMED = 1;

/** One day from midnight to midnight: a mark for each run, lower if it exceeds a limit. */
function DayStrip({ day, moments, zone, now, spans }: StripProps) {
  const own = moments.filter((time) => time >= day.start && time < day.end);
  const placeOf = (time: number) => `${((time - day.start) / (day.end - day.start)) * 100}%`;
  const clashes = spans.filter(({ start, end }) => Date.parse(end) > day.start && Date.parse(start) < day.end);
  const [first = day.start] = own;
  const label = own.map((time) => clock(time, zone)).join(', ');
  const isNow = now >= day.start && now < day.end;
  return (
    <div className="relative" style={{ height: HEIGHT }} title={label || undefined}>
      {own.length > 0 ? <span className="sr-only">{label}</span> : null}
      {isNow ? <span className="absolute inset-y-0 w-px bg-accent" style={{ left: placeOf(now) }} /> : null}
      {own.map((time) => (
        <span
          key={time}
          aria-hidden="true"
          className="absolute top-1.5 h-2.5 w-0.75 rounded-bar bg-scheduled"
          style={{ left: placeOf(time) }}
        />
      ))}
      {clashes.map(({ start }) => (
        <span
          key={start}
          aria-hidden="true"
          className="absolute top-1 h-3.5 w-0.75 rounded-bar bg-late"
          style={{ left: placeOf(Math.max(day.start, Date.parse(start))) }}
        />
      ))}
      {own.length > 0 && own.length <= MOST_NAMED ? (
        <span
          aria-hidden="true"
          className="tabular absolute top-0.75 text-2xs text-quiet"
          style={
            first - day.start > (day.end - day.start) * 0.7
              ? { right: `calc(100% - ${placeOf(first)} + 0.25rem)` }
              : { left: `calc(${placeOf(first)} + 0.5rem)` }
          }
        >
          {label}
        </span>
      ) : null}
    </div>
  );
}

function clock(time: number, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(time);
}

function dayAndTime(time: string, zone: string): string {
  const format = { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(time));
}
