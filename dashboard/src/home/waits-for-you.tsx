/** Lists the acts that wait for this person: runs that ask, requests, tools, invitations, keys. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { approveAccess, rereadRequests } from '../catalog/queries.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import { StateMark } from '../design/state-mark.tsx';
import type { InboxView } from '../inbox/cause.ts';
import { ExpiringKeys } from '../keys/expiring-keys.tsx';
import { resumeRun } from '../runs/actions.ts';
import type { RunRow } from '../runs/list/queries.ts';

interface Props {
  readonly paused: readonly RunRow[];
  /** Undefined without an organization. */
  readonly org: string | undefined;
  readonly inbox: InboxView | undefined;
}

export function WaitsForYou({ paused, org, inbox }: Props) {
  const mayResume = useMay('flow_runs:write');
  const runs = mayResume ? paused : [];
  const { accessRequests = [], heldTools = [], invitations = [], keys = [] } = inbox ?? {};
  const entries = [...runs, ...accessRequests, ...heldTools, ...invitations, ...keys];
  if (entries.length === 0) return null;
  return (
    <Section title="Waits for you">
      <ul className="border-t border-line">
        {runs.map((run) => (
          <PausedRun key={run.id} run={run} />
        ))}
        {accessRequests.map((request) => (
          <AccessRequest key={request.id} org={org ?? ''} request={request} />
        ))}
        {heldTools.map(({ server, tools }) => (
          <Entry
            key={server.id}
            action={
              <Link
                to="/servers/$server"
                params={{ server: server.slug }}
                search={{ tab: 'approvals' }}
                className={buttonClass()}
              >
                Review
              </Link>
            }
          >
            <span className="font-medium">{server.name}</span>{' '}
            <span className="text-soft">
              holds back {tools === 1 ? 'a tool' : `${tools.toLocaleString('en')} tools`} until you approve
            </span>
          </Entry>
        ))}
        {invitations.map(({ id, email, state, expiresAt }) => (
          <Entry
            key={id}
            action={
              <Link to="/people" search={{ tab: 'invitations', organization: org }} className={buttonClass()}>
                {state === 'expired' ? 'Invite again' : 'Invitations'}
              </Link>
            }
          >
            <span className="font-medium">{email}</span>{' '}
            <span className="text-soft">
              {state === 'expired' ? 'did not accept the invitation, which expired ' : 'is invited; the link expires '}
              <Moment time={expiresAt} />
            </span>
          </Entry>
        ))}
        {keys.length > 0 ? <ExpiringKeys org={org ?? ''} keys={keys} /> : null}
      </ul>
    </Section>
  );
}

function Entry({ action, children }: { readonly action: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="ruled flex items-center justify-between gap-x-4 gap-y-1 py-1.5 hover:bg-hover max-sm:flex-wrap">
      <p className="min-w-0 wrap-anywhere max-sm:basis-full">{children}</p>
      <span className="flex shrink-0 items-center gap-2">{action}</span>
    </li>
  );
}

function PausedRun({ run }: { readonly run: RunRow }) {
  const action = useAction();
  const needsInput = run.reason === 'waits for input';
  const resume = () =>
    void action.run(async () => {
      await resumeRun(run.id);
      await invalidate('/views/home');
    }, `${run.name} resumed`);
  return (
    <Entry
      action={
        <>
          <ProblemNote text={action.problem} />
          {needsInput ? (
            <Link to="/runs/flow-run/$id" params={{ id: run.id }} className={buttonClass()}>
              Answer
            </Link>
          ) : (
            <Button disabled={action.isBusy} onClick={resume}>
              Resume
            </Button>
          )}
        </>
      }
    >
      <span className="inline-flex translate-y-0.5 pr-2">
        <StateMark kind="PAUSED" alone />
      </span>
      <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="font-medium hover:underline">
        {run.name}
      </Link>{' '}
      <span className="text-soft">
        of {run.flow_name} {needsInput ? 'asks for input' : 'is paused'} since <Moment time={run.state_timestamp} />
        {run.waits_until ? (
          <>
            , fails <Moment time={run.waits_until} />
          </>
        ) : null}
      </span>
    </Entry>
  );
}

interface RequestProps {
  readonly org: string;
  readonly request: InboxView['accessRequests'][number];
}

function AccessRequest({ org, request: { id, userName, server, reason } }: RequestProps) {
  const action = useAction();
  const approve = () =>
    void action.run(async () => {
      await approveAccess(org, id, 'viewer');
      await Promise.all([rereadRequests(), invalidate('/organizations/{org}/views/inbox')]);
    }, `${userName} may use ${server.name}`);
  return (
    <Entry
      action={
        <>
          <ProblemNote text={action.problem} />
          <Button disabled={action.isBusy} onClick={approve}>
            Approve as viewer
          </Button>
          <Link to="/catalog" search={{ tab: 'requests' }} className={buttonClass('quiet')}>
            Decide
          </Link>
        </>
      }
    >
      <span className="font-medium">{userName}</span>{' '}
      <span className="text-soft">
        asks to use {server.name}: {reason}
      </span>
    </Entry>
  );
}
