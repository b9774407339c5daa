/** Causes of failures, one row each. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Moment } from '../components/text/moment.tsx';
import { StateMark } from '../design/state-mark.tsx';
import type { Cause, Standing } from './cause.ts';
import { DayBars } from './day-bars.tsx';

const DAYS = 14;

export function CauseList({ causes }: { readonly causes: readonly Cause[] }) {
  return (
    <ul className="border-t border-line">
      {causes.map((cause) => (
        <li
          key={cause.id}
          className="ruled grid grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-3 py-2 hover:bg-hover sm:grid-cols-[1rem_minmax(0,1fr)_auto_6rem]"
        >
          <StateMark kind={cause.mark} alone />
          <div className="min-w-0">
            <Newest of={cause} />
            <p className="truncate text-xs text-soft">
              <StandingMark standing={cause.standing} />
              {' · '}
              <Place of={cause} />
              {' · last '}
              <Moment time={cause.lastSeen} />
              {cause.owner ? ` · ${cause.owner.name}` : null}
            </p>
          </div>
          <span className="max-sm:hidden">
            <DayBars days={cause.days} places={DAYS} height={20} width={4} />
          </span>
          <CausePage of={cause} className="tabular justify-self-end whitespace-nowrap text-soft hover:underline">
            {cause.count === 1 ? 'once' : `${cause.count.toLocaleString('en')} times`}
          </CausePage>
        </li>
      ))}
    </ul>
  );
}

/** Leads to the newest run, which explains the failure; without one, to the cause. */
function Newest({ of: cause }: { readonly of: Cause }) {
  const className = 'block truncate font-medium hover:underline';
  const run = cause.flow?.last_run_id;
  if (!run) {
    return (
      <CausePage of={cause} className={className}>
        {cause.title}
      </CausePage>
    );
  }
  return (
    <Link to="/runs/flow-run/$id" params={{ id: run }} className={className}>
      {cause.title}
    </Link>
  );
}

export function CausePage({
  of: { id, org },
  className,
  children,
}: {
  readonly of: Cause;
  readonly className: string;
  readonly children: ReactNode;
}) {
  return org === undefined ? (
    <Link to="/inbox/cause/$id" params={{ id }} className={className}>
      {children}
    </Link>
  ) : (
    <Link to="/inbox/server-cause/$id" params={{ id }} search={{ organization: org }} className={className}>
      {children}
    </Link>
  );
}

/** The flow, below the one at the top of the tree, or the MCP server. */
export function Place({ of: { flow, server } }: { readonly of: Cause }) {
  if (flow) {
    const top = flow.last_flow_name ?? flow.flow_name;
    return (
      <>
        <Link to="/runs" search={{ flow: top, failed: 'yes' }} className="hover:underline">
          {top}
        </Link>
        {top === flow.flow_name ? null : ` › ${flow.flow_name}`}
      </>
    );
  }
  return (
    <Link to="/servers/$server" params={{ server: server?.slug ?? '' }} className="hover:underline">
      MCP server {server?.name}
    </Link>
  );
}

const words: Readonly<Record<Standing, string>> = {
  new: 'New',
  again: 'Again',
  regressed: 'Came back',
  muted: 'Muted',
  resolved: 'Resolved',
};
const meanings: Readonly<Record<Standing, string>> = {
  new: 'It came for the first time within a day',
  again: 'It came before, more than a day ago',
  regressed: 'It came again after it was resolved',
  muted: 'It stands in no list of open causes',
  resolved: 'It comes back with the next failure',
};

export function StandingMark({ standing }: { readonly standing: Standing }) {
  const isUrgent = standing === 'new' || standing === 'regressed';
  return (
    <span className={isUrgent ? 'font-semibold text-ink' : ''} title={meanings[standing]}>
      {words[standing]}
    </span>
  );
}
