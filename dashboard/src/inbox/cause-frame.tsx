/** A cause of either kind: its name, its acts, its facts and its days. */
import type { ReactNode } from 'react';
import { useMay } from '../api/access.ts';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { Moment } from '../components/text/moment.tsx';
import type { Cause } from './cause.ts';
import { CauseActions } from './cause-actions.tsx';
import { Place, StandingMark } from './cause-list.tsx';
import { DayBars } from './day-bars.tsx';

const DAYS = 30;

interface Props {
  readonly cause: Cause;
  /** Further actions. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function CauseFrame({ cause, actions, children }: Props) {
  const mayWrite = useMay('flow_runs:write');
  // Only editors of its server read the cause of a server.
  const mayChange = cause.org === undefined ? mayWrite : true;
  return (
    <>
      <PageHead
        title={cause.title}
        trail={[
          ['Home', { to: '/' }],
          ['Inbox', { to: '/inbox' }],
        ]}
        actions={
          <>
            {actions}
            {mayChange ? <CauseActions cause={cause} /> : null}
          </>
        }
      />
      <div className="flex flex-col gap-8 px-6 pt-2 max-sm:px-4">
        <Facts
          of={{
            Standing: <StandingMark standing={cause.standing} />,
            [cause.flow ? 'Flow' : 'Server']: <Place of={cause} />,
            Failures: <span className="tabular">{cause.count.toLocaleString('en')}</span>,
            'First seen': <Moment time={cause.firstSeen} />,
            'Last seen': <Moment time={cause.lastSeen} />,
            'Came back': cause.regressed ? <Moment time={cause.regressed} /> : undefined,
            Resolved: cause.resolved ? <Moment time={cause.resolved} /> : undefined,
            'Muted until': cause.standing === 'muted' ? <MutedUntil of={cause} /> : undefined,
            Owner: cause.owner?.name,
          }}
        />
        <Section title={`Last ${DAYS} days`} aside={mostOf(cause)}>
          <div className="overflow-x-auto">
            <DayBars days={cause.days} places={DAYS} height={56} width={8} />
          </div>
        </Section>
        {children}
      </div>
    </>
  );
}

function mostOf({ days }: Cause): string {
  const most = Math.max(0, ...days.map(({ count }) => count));
  return `at most ${most.toLocaleString('en')} on a day`;
}

function MutedUntil({ of: { mutedUntil, mutedUntilCount } }: { readonly of: Cause }) {
  if (mutedUntilCount !== null) return `${mutedUntilCount.toLocaleString('en')} failures`;
  return <Moment time={mutedUntil} />;
}
