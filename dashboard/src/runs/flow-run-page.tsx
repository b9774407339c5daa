/** One flow run: why it failed or waits, its tasks over time, its logs, and what belongs to it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { apiPath } from '../api/workspace.ts';
import { Button, IconButton } from '../components/button.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { Id } from '../components/copy.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { Moment } from '../components/moment.tsx';
import { Fact, PageHead, Section } from '../components/page.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { isEnded, stateKind } from '../design/states.ts';
import { duration } from '../design/time.ts';
import { cancelRun, deleteRuns, resumeRun, retryRun, runAgain } from './actions.ts';
import { type LogSearch, LogView } from './log-view.tsx';
import { type FlowRunView, flowRunQuery, timelineQuery } from './queries.ts';
import { StateHistory } from './state-history.tsx';
import { Timeline } from './timeline.tsx';
import { FailurePanel, WaitingPanel } from './why-panel.tsx';

const route = getRouteApi('/runs/flow-run/$id');

const TIMELINE_HEIGHT = 308;

export function FlowRunPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/runs/flow-run/$id' });
  const query = useQuery(flowRunQuery(id));
  const { data: view } = query;
  if (query.isPending) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={14} />
      </div>
    );
  }
  if (!view) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const { flow_run: run } = view;
  const chooseTask = (chosen: string | undefined) =>
    void navigate({ search: (old) => ({ ...old, task: chosen, tab: undefined }), replace: true });
  return (
    <>
      <PageHead
        title={run.name ?? id}
        trail={
          <>
            <Link to="/runs" search={{}} className="hover:underline">
              Runs
            </Link>
            <span aria-hidden="true">/</span>
            <Link to="/runs" search={{ flow: view.flow.name }} className="hover:underline">
              {view.flow.name}
            </Link>
            {view.parent ? (
              <>
                <span aria-hidden="true">/</span>
                <Link to="/runs/flow-run/$id" params={{ id: view.parent.id }} className="hover:underline">
                  {view.parent.name}
                </Link>
              </>
            ) : null}
          </>
        }
        actions={<Actions view={view} />}
      >
        {run.name}
      </PageHead>
      <Summary view={view} />
      <div className="mt-3 px-6 max-sm:px-0">
        {view.failure ? <FailurePanel view={view} failure={view.failure} onChooseTask={chooseTask} /> : null}
        {view.waiting ? <WaitingPanel waiting={view.waiting} /> : null}
      </div>
      <Tabs
        value={search.tab ?? 'run'}
        onChange={(tab) => void navigate({ search: (old) => ({ ...old, tab }), replace: true })}
        className="mt-4"
        tabs={[
          {
            id: 'run',
            title: 'Tasks and logs',
            content: () => (
              <Work
                view={view}
                chosen={search.task}
                onChoose={chooseTask}
                search={search}
                onSearch={({ level, q }) => void navigate({ search: (old) => ({ ...old, level, q }), replace: true })}
              />
            ),
          },
          { id: 'parameters', title: 'Parameters', content: () => <Parameters parameters={run.parameters ?? {}} /> },
          {
            id: 'states',
            title: 'States',
            content: () => (
              <div className="max-w-240">
                <StateHistory states={view.states} asOf={view.as_of} />
              </div>
            ),
          },
          { id: 'details', title: 'Details', content: () => <Details view={view} /> },
        ]}
      />
    </>
  );
}

function Summary({ view }: { readonly view: FlowRunView }) {
  const { flow_run: run, task_runs } = view;
  const tasks = task_runs.reduce((sum, { count }) => sum + count, 0);
  return (
    <dl className="flex flex-wrap items-center gap-x-6 gap-y-2 px-6 max-sm:px-4">
      <div>
        <dt className="sr-only">State</dt>
        <dd>
          <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name} />
        </dd>
      </div>
      <Fact name={run.start_time ? 'Started' : 'Expected'}>
        <Moment time={run.start_time ?? run.expected_start_time} />
      </Fact>
      <Fact name="Duration">
        <span className="tabular">{run.start_time ? duration(run.estimated_run_time ?? 0) : '–'}</span>
      </Fact>
      {(run.run_count ?? 0) > 1 ? <Fact name="Tries">{run.run_count}</Fact> : null}
      <Fact name="Task runs">
        <span className="tabular">{tasks}</span>
      </Fact>
      {view.deployment ? <Fact name="Deployment">{view.deployment.name}</Fact> : null}
      {run.work_pool_name ? <Fact name="Work pool">{run.work_pool_name}</Fact> : null}
      {(run.tags ?? []).length > 0 ? <Fact name="Tags">{run.tags?.join(', ')}</Fact> : null}
    </dl>
  );
}

function Actions({ view }: { readonly view: FlowRunView }) {
  const { flow_run: run, deployment } = view;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayChange = useMay('flow_runs:write');
  const [isAsked, ask] = useState(false);
  const [problem, setProblem] = useState<string>();
  const ended = isEnded(run.state_type);
  const act = (action: () => Promise<unknown>) => {
    setProblem(undefined);
    action()
      .then(() => queries.invalidateQueries({ queryKey: ['flow-run', run.id] }))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  const again = async () => {
    if (!deployment) return;
    const id = await runAgain(deployment.id, run.parameters ?? {});
    await navigate({ to: '/runs/flow-run/$id', params: { id } });
  };
  const curl = `curl ${location.origin}${apiPath}/flow_runs/${run.id}`;
  return (
    <>
      {problem === undefined ? null : (
        <span role="alert" className="text-failed-text">
          {problem}
        </span>
      )}
      {mayChange && run.state_type === 'PAUSED' ? (
        <Button kind="primary" onClick={() => act(() => resumeRun(run.id))}>
          Resume
        </Button>
      ) : null}
      {mayChange && (run.state_type === 'FAILED' || run.state_type === 'CRASHED') ? (
        <Button
          kind="primary"
          disabled={!deployment}
          title={deployment ? undefined : 'Only a run of a deployment can be retried: nobody would pick it up.'}
          onClick={() => act(() => retryRun(run.id))}
        >
          Retry
        </Button>
      ) : null}
      {mayChange && !ended ? <Button onClick={() => act(() => cancelRun(run.id))}>Cancel</Button> : null}
      {mayChange && deployment ? <Button onClick={() => act(again)}>Run again</Button> : null}
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis size={15} />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => void navigator.clipboard.writeText(run.id)}>Copy id</MenuItem>
        <MenuItem onSelect={() => void navigator.clipboard.writeText(`prefect flow-run inspect ${run.id}`)}>
          Copy as prefect command
        </MenuItem>
        <MenuItem onSelect={() => void navigator.clipboard.writeText(curl)}>Copy as curl</MenuItem>
        {mayChange ? (
          <>
            <MenuSeparator />
            <MenuItem isDangerous onSelect={() => ask(true)}>
              Delete
            </MenuItem>
          </>
        ) : null}
      </Menu>
      <Confirm
        isOpen={isAsked}
        onClose={() => ask(false)}
        question={`Delete the run ${run.name}?`}
        action="Delete the run"
        onConfirm={async () => {
          await deleteRuns([run.id]);
          await navigate({ to: '/runs', search: {} });
        }}
      >
        Its task runs, states and logs are deleted with it. This cannot be undone.
      </Confirm>
    </>
  );
}

interface WorkProps {
  readonly view: FlowRunView;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  readonly search: LogSearch;
  readonly onSearch: (search: LogSearch) => void;
}

function Work({ view, chosen, onChoose, search, onSearch }: WorkProps) {
  const { flow_run: run } = view;
  const navigate = useNavigate();
  const { data: timeline, isPending, error, refetch } = useQuery(timelineQuery(run.id));
  const names = useMemo(
    () => new Map(timeline?.id.map((id, index) => [id, timeline.name[index] as string])),
    [timeline],
  );
  const chosenName = chosen === undefined ? undefined : names.get(chosen);
  const isSubflow = chosen !== undefined && timeline?.kind[timeline.id.indexOf(chosen)] === 'flow-run';
  return (
    <div className="flex flex-col gap-6">
      <Section title="Tasks" className="relative">
        {isPending ? (
          <Skeleton rows={6} />
        ) : !timeline ? (
          <Failed error={error} retry={() => void refetch()} />
        ) : timeline.id.length === 0 ? (
          <p className="text-quiet">This run has no task runs{isEnded(run.state_type) ? '.' : ' yet.'}</p>
        ) : (
          <Timeline
            view={timeline}
            chosen={chosen}
            onChoose={onChoose}
            onOpenSubflow={(id) => void navigate({ to: '/runs/flow-run/$id', params: { id } })}
            height={TIMELINE_HEIGHT}
          />
        )}
      </Section>
      <Section
        title={chosenName ? `Logs of ${chosenName}` : 'Logs'}
        aside={
          chosen === undefined ? null : (
            <span className="flex gap-4">
              <Link
                to={isSubflow ? '/runs/flow-run/$id' : '/runs/task-run/$id'}
                params={{ id: chosen }}
                className="text-accent hover:underline"
              >
                Open the {isSubflow ? 'subflow run' : 'task run'}
              </Link>
              <button type="button" className="hover:underline" onClick={() => onChoose(undefined)}>
                Logs of the whole run
              </button>
            </span>
          )
        }
      >
        <LogView
          runId={isSubflow ? chosen : run.id}
          taskId={isSubflow ? undefined : chosen}
          names={names}
          isEnded={isEnded(run.state_type)}
          search={search}
          onSearch={onSearch}
        />
      </Section>
    </div>
  );
}

function Parameters({ parameters }: { readonly parameters: Record<string, unknown> }) {
  const names = Object.keys(parameters);
  if (names.length === 0) return <p className="text-quiet">This run has no parameters.</p>;
  return (
    <dl className="grid max-w-200 grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-1">
      {names.map((name) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd>
            <CodeBlock label={name} text={JSON.stringify(parameters[name], null, 2)} isWrapped />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Details({ view }: { readonly view: FlowRunView }) {
  const { flow_run: run } = view;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Created', run.created],
    ['Expected start', run.expected_start_time],
    ['Start', run.start_time],
    ['End', run.end_time],
  ];
  return (
    <dl className="grid max-w-200 grid-cols-[10rem_1fr] gap-y-1">
      <dt className="text-quiet">Id</dt>
      <dd>
        <Id id={run.id} />
      </dd>
      {facts.map(([name, time]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd>
            <Moment time={time} absolute />
          </dd>
        </div>
      ))}
      {(
        [
          ['Flow version', run.flow_version],
          ['Deployment version', run.deployment_version],
          ['Work queue', run.work_queue_name],
          ['Idempotency key', run.idempotency_key],
          ['Infrastructure', run.infrastructure_pid],
          ['Made by', run.created_by?.display_value],
        ] as const
      ).map(([name, value]) =>
        value ? (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}
