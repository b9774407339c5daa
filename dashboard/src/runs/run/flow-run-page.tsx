/** One flow run: the reason why it failed or waits, its tasks over time, its logs, and related objects. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArtifactsOfRun } from '../../artifacts/artifacts-of-run.tsx';
import { Fact, PageHead } from '../../components/page.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { stateKind } from '../../design/states.ts';
import { duration } from '../../design/time.ts';
import { runsNamed } from '../list/run-fields.ts';
import { type FlowRunView, flowRunQuery } from '../queries.ts';
import { CompareActions } from './compare-actions.tsx';
import { FlowRunActions } from './flow-run-actions.tsx';
import { FlowRunDetails, Parameters } from './flow-run-details.tsx';
import { FlowRunWork } from './flow-run-work.tsx';
import { ResumePanel } from './resume-panel.tsx';
import { RunInputs } from './run-inputs.tsx';
import { RunSteps } from './run-steps.tsx';
import { StateHistory } from './state-history.tsx';
import { UnrecordedTasksPanel } from './unrecorded-tasks-panel.tsx';
import { type Attempt, AttemptTabs, attemptOf } from './why/attempts.tsx';
import { FailurePanel, WaitingPanel } from './why/why-panel.tsx';

const route = getRouteApi('/runs/flow-run/$id');

export function FlowRunPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/runs/flow-run/$id' });
  const chosen = attemptOf(search.attempt);
  const query = useQuery({
    ...flowRunQuery(id, chosen),
    placeholderData: (old) => (old?.flow_run.id === id ? old : undefined),
  });
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={14} isPage />;
  const { flow_run: run, attempts } = view;
  const attempt = attempts.find(({ number }) => number === chosen);
  const isLatest = !attempt || attempt === attempts.at(-1);
  const schemaKey = run.state_type === 'PAUSED' ? run.state?.state_details?.run_input_keyset?.['schema'] : undefined;
  /** Keeps the scroll position, because the change is in view. */
  const show = (part: Partial<typeof search>) =>
    void navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false });
  const chooseTask = (chosen: string | undefined) => show({ task: chosen, tab: undefined });
  return (
    <>
      <PageHead
        title={run.name ?? id}
        trail={[
          ['Runs', { to: '/runs', search: {} }],
          [view.flow.name, { to: '/runs', search: runsNamed({ flow: view.flow.name }) }],
          ...(view.parent
            ? [[view.parent.name, { to: '/runs/flow-run/$id', params: { id: view.parent.id } }] as const]
            : []),
        ]}
        actions={
          <>
            <RunSteps id={id} />
            <CompareActions view={view} />
            <FlowRunActions view={view} />
          </>
        }
      >
        {run.name}
      </PageHead>
      <Summary view={view} />
      <AttemptTabs
        view={view}
        chosen={chosen}
        onChoose={(number) => show({ attempt: number === undefined ? undefined : String(number), task: undefined })}
      />
      <div className="in-order">
        <div className="mt-3 px-6 max-sm:px-0">
          {view.unrecorded_tasks ? <UnrecordedTasksPanel unrecorded={view.unrecorded_tasks} /> : null}
          {view.failure ? <FailurePanel view={view} failure={view.failure} onChooseTask={chooseTask} /> : null}
          {schemaKey && isLatest ? <ResumePanel run={run} schemaKey={schemaKey} /> : null}
          {view.waiting && isLatest && !schemaKey ? <WaitingPanel waiting={view.waiting} /> : null}
        </div>
        <Tabs
          value={search.tab ?? 'run'}
          onChange={(tab) => show({ tab })}
          className="mt-4"
          tabs={[
            {
              id: 'run',
              title: 'Tasks and logs',
              content: () => (
                <FlowRunWork
                  view={view}
                  attempt={attempt}
                  chosen={search.task}
                  onChoose={chooseTask}
                  search={search}
                  isGraph={search.view === 'graph'}
                  onGraph={(isGraph) => show({ view: isGraph ? 'graph' : undefined })}
                  errorsOnly={search.errors ?? false}
                  onErrorsOnly={(errorsOnly) => show({ errors: errorsOnly || undefined })}
                  onSearch={({ level, q, line }) => show({ level, q, line })}
                  withSubflows={search.subflows}
                  onSubflows={(subflows) => show({ subflows })}
                />
              ),
            },
            { id: 'parameters', title: 'Parameters', content: () => <Parameters parameters={run.parameters ?? {}} /> },
            { id: 'inputs', title: 'Inputs', content: () => <RunInputs runId={run.id} /> },
            { id: 'artifacts', title: 'Artifacts', content: () => <ArtifactsOfRun flow_run_id={run.id} /> },
            {
              id: 'states',
              title: 'States',
              content: () => (
                <div className="max-w-240">
                  <StateHistory states={statesOf(view, attempt)} asOf={attempt?.until ?? view.as_of} />
                </div>
              ),
            },
            { id: 'details', title: 'Details', content: () => <FlowRunDetails view={view} /> },
          ]}
        />
      </div>
    </>
  );
}

/** The states of the attempt; of all attempts without it. */
function statesOf({ states }: FlowRunView, attempt: Attempt | undefined): FlowRunView['states'] {
  if (!attempt) return states;
  const [began, until] = [Date.parse(attempt.began ?? ''), Date.parse(attempt.until ?? '')];
  return states.filter(({ timestamp }) => !(Date.parse(timestamp) < began) && !(Date.parse(timestamp) >= until));
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
      {view.deployment ? (
        <Fact name="Deployment">
          <Link to="/deployments/deployment/$id" params={{ id: view.deployment.id }} className="hover:underline">
            {view.deployment.name}
          </Link>
        </Fact>
      ) : null}
      {run.work_pool_name ? <Fact name="Work pool">{run.work_pool_name}</Fact> : null}
      {(run.tags ?? []).length > 0 ? <Fact name="Tags">{run.tags?.join(', ')}</Fact> : null}
    </dl>
  );
}
