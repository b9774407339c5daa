import { useAccess } from '../api/access.ts';
import { live, useLiveStatus } from '../api/live.ts';
import { useNow } from '../components/text/moment.tsx';
import { clockTime, relativeTime } from '../design/time.ts';

/** Shows whether the page is live, or how long the stream has been away. */
export function LiveMark() {
  const status = useLiveStatus();
  const now = useNow();
  const access = useAccess();
  // A person without a role in the workspace gets no stream, so none is missing.
  if (access?.user && !access.permissions.includes('flow_runs:read')) return null;
  const isLive = status === 'live';
  const text = isLive ? 'Live' : status === 'connecting' ? 'Connecting' : `As of ${clockTime(live.since)}`;
  const hint = isLive
    ? 'Changes appear as they happen.'
    : `The stream of changes was lost ${relativeTime(live.since, now)}. The page polls every ten seconds.`;
  return (
    <span
      role="status"
      title={hint}
      className={`inline-flex items-center gap-1.5 whitespace-nowrap text-2xs ${isLive ? 'text-quiet' : 'font-medium text-late-text'}`}
    >
      <span
        aria-hidden="true"
        className={`size-1.5 rounded-full ${isLive ? 'bg-completed' : 'border border-late bg-transparent'}`}
      />
      {text}
    </span>
  );
}
