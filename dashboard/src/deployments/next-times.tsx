import { useQuery } from '@tanstack/react-query';
import { absoluteTime, relativeTime } from '../design/time.ts';
import { zoneOf } from '../schedule/words.ts';
import { type DeploymentSchedule, timesQuery } from './queries.ts';

/** The next times of a schedule, stored or only typed. */
export function NextTimes({ schedule }: { readonly schedule: DeploymentSchedule['schedule'] }) {
  const { data, error } = useQuery(timesQuery(schedule));
  if (error) return <p className="text-xs text-failed-text">{error.message}</p>;
  if (!data) return <p className="text-xs text-quiet">…</p>;
  if (data.times.length === 0) return <p className="text-xs text-quiet">It has no further time.</p>;
  return (
    <p className="tabular text-xs text-soft">
      {data.times.map((time, index) => (
        <time
          key={time}
          dateTime={time}
          title={`${absoluteTime(time)}, ${relativeTime(time)}`}
          className="mr-3 inline-block"
        >
          {index === 0 ? relativeTime(time) : shortTime(time, zoneOf(schedule))}
        </time>
      ))}
    </p>
  );
}

/** The time in the zone of the schedule, to which its words refer. */
function shortTime(time: string, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(time));
}
