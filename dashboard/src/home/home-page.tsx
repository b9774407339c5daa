/** Home: failed runs, waiting runs, runs over time, upcoming runs. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { accessQuery, useOrganization } from '../api/access.ts';
import { read } from '../api/read.ts';
import { Histogram } from '../components/chart/histogram.tsx';
import { Cure } from '../components/cure.tsx';
import { PageHead, Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Moment, TextWithTimes } from '../components/text/moment.tsx';
import { StateLabel, StateMark } from '../design/state-mark.tsx';
import { stateKind } from '../design/states.ts';
import { duration } from '../design/time.ts';
import { type Cause, inOrder, ofFlow, ofServer } from '../inbox/cause.ts';
import { CauseList } from '../inbox/cause-list.tsx';
import { inboxQuery } from '../inbox/queries.ts';
import { intervalsOf } from '../runs/list/history.ts';
import type { RunRow } from '../runs/list/queries.ts';
import { type RunsSearch, runsNamed } from '../runs/list/run-fields.ts';
import { byReason, failedCount, type HomeView, isEmpty, verdictOf } from './summary.ts';
import { WaitsForYou } from './waits-for-you.tsx';

const StepsOnHome = lazy(() =>
  import('../first-hour/on-home.tsx').then(({ StepsOnHome: component }) => ({ default: component })),
);

const spans = [
  [3600, '1h', 'Last hour'],
  [86_400, '24h', 'Last day'],
  [604_800, '7d', 'Last week'],
] as const;

/** Rows that stand above the chart. */
const MOST_CAUSES = 6;

const homeQuery = (seconds: number) =>
  read.one(
    '/views/home',
    { params: { query: { seconds } } },
    {
      watches: [
        'flow_run',
        'failure_cause',
        'deployment',
        'work_pool',
        'work_queue',
        'automation',
        'concurrency_limit',
      ],
      placeholderData: keepPreviousData,
    },
  );

export function HomePage() {
  const [seconds, setSeconds] = useState<number>(86_400);
  const [wasLed, setLed] = useState(false);
  const query = useQuery(homeQuery(seconds));
  const { data: view } = query;
  const [, span = '24h', spanTitle = ''] = spans.find(([value]) => value === seconds) ?? [];
  const access = useQuery(accessQuery);
  const org = useOrganization(undefined)?.slug;
  const inbox = useQuery({
    ...inboxQuery(org ?? '', seconds),
    enabled: org !== undefined,
    placeholderData: keepPreviousData,
  });
  // The list above the rest must not move it when it arrives.
  const waitsForInbox = org !== undefined && !inbox.data && !inbox.isFetched;
  if (!view || !access.isFetched || waitsForInbox) return <Unread of={query} rows={14} isPage />;
  // The steps stay where they were read, also when the first run has arrived.
  const isUnused = isEmpty(view);
  const isLed = view.first_hour && (wasLed || isUnused);
  if (isLed !== wasLed) setLed(isLed);
  const ofServers = (inbox.data?.causes ?? []).map((cause) => ofServer(cause, org ?? ''));
  const causes = inOrder([...view.causes.map(ofFlow), ...ofServers]).slice(0, MOST_CAUSES);
  return (
    <>
      <PageHead
        title="Home"
        actions={
          isUnused ? null : (
            <select
              aria-label="Time"
              className="field w-auto"
              value={seconds}
              onChange={(event) => setSeconds(Number(event.target.value))}
            >
              {spans.map(([value, , title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          )
        }
      >
        {isUnused ? 'No flow has run here yet' : verdictOf(view)}
      </PageHead>
      <div className="px-6 pt-2 pb-8 empty:hidden max-sm:px-4">
        <WaitsForYou paused={view.paused} org={org} inbox={inbox.data} />
      </div>
      {view.first_hour || isUnused ? (
        <div className={isLed || isUnused ? '' : 'mx-6 mb-3 h-11 max-sm:mx-4'}>
          <Suspense>
            <StepsOnHome isEmpty={isUnused} isLed={isLed} />
          </Suspense>
        </div>
      ) : null}
      {isUnused ? null : <Content view={view} causes={causes} span={span} spanTitle={spanTitle} />}
    </>
  );
}

interface ContentProps {
  readonly view: HomeView;
  readonly causes: readonly Cause[];
  readonly span: string;
  readonly spanTitle: string;
}

function Content({ view, causes, span, spanTitle }: ContentProps) {
  const navigate = useNavigate();
  const intervals = useMemo(() => intervalsOf(view.history), [view.history]);
  return (
    <div className="flex flex-col gap-8 px-6 pt-2 max-sm:px-4">
      {causes.length > 0 ? <Failures view={view} causes={causes} span={span} /> : null}
      {view.stuck.length > 0 ? <Stuck view={view} /> : null}
      {view.failed_actions.length > 0 ? <FailedActions view={view} /> : null}
      <Section
        title={`Runs, ${spanTitle.toLowerCase()}`}
        aside={
          view.run_time ? (
            <span className="tabular" title={`Of the ${view.run_time.count} newest completed runs`}>
              half take up to {duration(view.run_time.p50)}, 95 % up to {duration(view.run_time.p95)}
            </span>
          ) : null
        }
      >
        <Histogram
          intervals={intervals}
          height={128}
          onBrush={(start, end) => void navigate({ to: '/runs', search: { span: `${start}/${end}` } })}
        />
      </Section>
      <div className="grid gap-8 lg:grid-cols-2">
        <Now view={view} />
        <Upcoming view={view} />
      </div>
    </div>
  );
}

function Failures({
  view,
  causes,
  span,
}: {
  readonly view: HomeView;
  readonly causes: readonly Cause[];
  readonly span: string;
}) {
  return (
    <Section
      title="Failed"
      aside={
        <>
          <Link to="/runs" search={{ failed: 'yes', span }} className="hover:underline">
            All {failedCount(view)}
          </Link>
          {' · '}
          <Link to="/inbox" className="hover:underline">
            All causes
          </Link>
        </>
      }
    >
      <CauseList causes={causes} />
    </Section>
  );
}

function Stuck({ view }: { readonly view: HomeView }) {
  return (
    <Section
      title="Waiting too long"
      aside={
        <Link to="/runs" search={{ state: 'LATE,PENDING' }} className="hover:underline">
          All {view.stuck_count.toLocaleString('en')}
        </Link>
      }
    >
      <ul className="border-t border-line">
        {byReason(view.stuck).map(({ reason, runs }) => (
          <li key={runs[0]?.id} className="ruled py-2">
            {reason ? (
              <div className="pb-1 pl-7">
                <p className="font-medium">
                  <TextWithTimes text={reason.message} />
                </p>
                <Cure reason={reason} />
              </div>
            ) : null}
            <ul>
              {runs.map((run) => (
                <li
                  key={run.id}
                  className="grid min-h-(--row) grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-3 hover:bg-hover"
                >
                  <StateMark kind={stateKind(run.state_type, run.state_name)} alone />
                  <p className="min-w-0 truncate">
                    <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="hover:underline">
                      {run.name}
                    </Link>{' '}
                    <span className="text-xs text-soft">
                      <RunsOf run={run} search={{ state: 'LATE,PENDING', span: '30d' }} />
                    </span>
                  </p>
                  <span className="tabular whitespace-nowrap text-soft">{duration(run.lateness)} late</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Actions that failed to notify people or start runs, which is not visible anywhere else. */
function FailedActions({ view }: { readonly view: HomeView }) {
  return (
    <Section title="Automations that could not act">
      <ul className="border-t border-line">
        {view.failed_actions.map(({ automation_id, automation_name, count, last, last_failure }) => (
          <li key={automation_id} className="ruled grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 py-2">
            <div className="min-w-0">
              <Link
                to="/automations/automation/$id"
                params={{ id: automation_id }}
                className="block truncate font-medium hover:underline"
              >
                {automation_name}
              </Link>
              <p className="break-words text-xs text-failed-text">{last_failure ?? 'It failed without a reason.'}</p>
            </div>
            <span className="tabular text-soft">
              {count > 1 ? `${count} times, last ` : ''}
              <Moment time={last} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The flow and the deployment of a run, each with a link to its runs. */
function RunsOf({ run, search = {} }: { readonly run: RunRow; readonly search?: RunsSearch }) {
  const { flow_name: flow, deployment_name: deployment } = run;
  return (
    <>
      <Link to="/runs" search={runsNamed({ flow }, search)} className="hover:underline">
        {flow}
      </Link>
      {deployment ? (
        <>
          {' / '}
          <Link to="/runs" search={runsNamed({ flow, deployment }, search)} className="hover:underline">
            {deployment}
          </Link>
        </>
      ) : null}
    </>
  );
}

function Now({ view }: { readonly view: HomeView }) {
  return (
    <Section title="Now">
      {view.now.length === 0 ? (
        <p className="border-t border-line py-2 text-quiet">Nothing runs and nothing is scheduled.</p>
      ) : (
        <ul className="border-t border-line">
          {view.now.map(({ state_type, state_name, count }) => (
            <li key={`${state_type} ${state_name}`} className="ruled flex h-(--row) items-center justify-between">
              <Link
                to="/runs"
                search={{ state: stateKind(state_type, state_name), span: '30d' }}
                className="hover:underline"
              >
                <StateLabel kind={stateKind(state_type, state_name)} name={state_name} />
              </Link>
              <span className="tabular">{count.toLocaleString('en')}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Upcoming({ view }: { readonly view: HomeView }) {
  return (
    <Section title="Next">
      {view.upcoming.length === 0 ? (
        <p className="border-t border-line py-2 text-quiet">No run is scheduled.</p>
      ) : (
        <ul className="border-t border-line">
          {view.upcoming.map((run) => (
            <li key={run.id} className="ruled flex h-(--row) items-center justify-between gap-4">
              <p className="min-w-0 truncate">
                <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="hover:underline">
                  {run.name}
                </Link>{' '}
                <span className="text-xs text-soft">
                  <RunsOf run={run} />
                </span>
              </p>
              <Moment time={run.expected_start_time} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
