/** A request in one line: its outcome, capability, reason, caller and time. */
import { Link } from '@tanstack/react-router';
import type { components } from '../api/platform.gen.ts';
import { Moment } from '../components/text/moment.tsx';
import { OutcomeLabel, whyText } from './outcomes.tsx';

type ServerRequest = components['schemas']['ServerRequest'];

export function RequestLine({ request }: { readonly request: ServerRequest }) {
  const { id, serverId, outcome, method, capability, actorName, occurredAt } = request;
  const why = whyText(request);
  return (
    <li className="ruled grid min-h-8 grid-cols-[6rem_minmax(0,1fr)_minmax(0,1.4fr)_minmax(0,.8fr)_4.5rem] items-center gap-x-4 max-sm:grid-cols-[6rem_minmax(0,1fr)_4.5rem]">
      <OutcomeLabel outcome={outcome} />
      <Link
        to="/requests"
        search={{ server: serverId, open: `${serverId}/${id}` }}
        className="truncate font-mono text-xs hover:underline"
      >
        {capability ?? method ?? 'request'}
      </Link>
      <span className="truncate text-soft max-sm:hidden" title={why}>
        {why}
      </span>
      <span className="truncate text-soft max-sm:hidden">{actorName ?? '–'}</span>
      <span className="text-right text-xs text-quiet">
        <Moment time={occurredAt} />
      </span>
    </li>
  );
}
