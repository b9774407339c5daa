/** One task run: the reason why it failed, its attempts, its inputs, the runs that use its result, its logs. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/access.ts';
import { invalidate } from '../../api/read.ts';
import { ArtifactsOfRun } from '../../artifacts/artifacts-of-run.tsx';
import { CommandsDialog } from '../../components/commands-dialog.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { notify } from '../../components/notify/notify.ts';
import { type Crumb, Fact, PageHead, Section } from '../../components/page.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { Id } from '../../components/text/copy.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { firstLine, shortMessage } from '../../design/state-message.ts';
import { isEnded, stateKind } from '../../design/states.ts';
import { duration } from '../../design/time.ts';
import { usePageActions } from '../../shell/page-actions.ts';
import { changeState, deleteTaskRun } from '../actions.ts';
import { ChangeState } from '../change-state.tsx';
import { taskRunCommands } from '../commands.ts';
import { runsNamed } from '../list/run-fields.ts';
import { LogView } from '../logs/log-view.tsx';
import { type TaskRunView, taskRunQuery } from '../queries.ts';
import { RunMenu } from './run-menu.tsx';
import { StateHistory } from './state-history.tsx';
import { TaskInputs, UsedBy } from './task-inputs.tsx';
import { Traceback, UserFrame } from './why/code-frames.tsx';

const route = getRouteApi('/runs/task-run/$id');

export function TaskRunPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/runs/task-run/$id' });
  const query = useQuery(taskRunQuery(id));
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={14} isPage />;
  const { task_run: run } = view;
  return (
    <>
      <PageHead title={run.name ?? id} trail={trailOf(view)} actions={<Actions view={view} />} />
      <Summary view={view} />
      {view.failure ? <Failure view={view} failure={view.failure} /> : null}
      <div className="in-order mt-5 flex flex-col gap-6 px-6 max-sm:px-4">
        <div className="grid gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <Section title="States">
            <StateHistory states={view.states} asOf={view.as_of} />
          </Section>
          <div className="flex min-w-0 flex-col gap-6">
            <Section title="Inputs">
              <TaskInputs inputs={view.inputs} />
            </Section>
            {view.used_by.length > 0 ? (
              <Section title="Its result goes to">
                <UsedBy runs={view.used_by} />
              </Section>
            ) : null}
          </div>
        </div>
        <Section title="Logs">
          <LogView
            runId={run.flow_run_id ?? undefined}
            taskId={id}
            isEnded={isEnded(run.state_type)}
            search={search}
            onSearch={(next) => void navigate({ search: next, replace: true })}
          />
        </Section>
        <Section title="Artifacts">
          <ArtifactsOfRun task_run_id={id} />
        </Section>
        <Section title="Details">
          <Details view={view} />
        </Section>
      </div>
    </>
  );
}

function trailOf({ flow_run: run }: TaskRunView): readonly Crumb[] {
  const runs: Crumb = ['Runs', { to: '/runs', search: {} }];
  if (!run) return [runs];
  return [
    runs,
    [run.flow_name, { to: '/runs', search: runsNamed({ flow: run.flow_name }) }],
    [run.name, { to: '/runs/flow-run/$id', params: { id: run.id } }],
  ];
}

function Summary({ view: { task_run: run, child } }: { readonly view: TaskRunView }) {
  return (
    <dl className="flex flex-wrap items-center gap-x-6 gap-y-2 px-6 max-sm:px-4">
      <div>
        <dt className="sr-only">State</dt>
        <dd>
          <StateLabel kind={stateKind(run.state_type, run.state_name)} name={run.state_name ?? null} />
        </dd>
      </div>
      <Fact name={run.start_time ? 'Started' : 'Expected'}>
        <Moment time={run.start_time ?? run.expected_start_time} />
      </Fact>
      <Fact name="Duration">
        <span className="tabular">{run.start_time ? duration(run.estimated_run_time ?? 0) : '–'}</span>
      </Fact>
      {run.start_time && (run.estimated_start_time_delta ?? 0) >= 0.01 ? (
        <Fact name="Waited">
          <span className="tabular">{duration(run.estimated_start_time_delta ?? 0)}</span>
        </Fact>
      ) : null}
      {(run.run_count ?? 0) > 1 ? <Fact name="Tries">{run.run_count}</Fact> : null}
      {child ? (
        <Fact name="Stands for the subflow run">
          <Link to="/runs/flow-run/$id" params={{ id: child.id }} className="text-accent hover:underline">
            {child.name}
          </Link>
        </Fact>
      ) : null}
      {(run.tags ?? []).length > 0 ? <Fact name="Tags">{run.tags?.join(', ')}</Fact> : null}
    </dl>
  );
}

interface FailureProps {
  readonly view: TaskRunView;
  readonly failure: NonNullable<TaskRunView['failure']>;
}

function Failure({ view, failure: { exception, message, frames, user_frame } }: FailureProps) {
  const isCrash = view.task_run.state_type === 'CRASHED';
  const frame = user_frame === null ? undefined : frames[user_frame];
  return (
    <section
      aria-label="Why it failed"
      className={`mx-6 mt-3 border-l-2 bg-surface px-4 py-3 max-sm:mx-0 ${isCrash ? 'border-crashed' : 'border-failed'}`}
    >
      <p className="text-lg font-semibold break-words">
        {exception ? (
          <>
            <span className={isCrash ? 'text-crashed-text' : 'text-failed-text'}>{exception.type}</span>
            {exception.message ? <span className="font-normal">: {firstLine(exception.message)}</span> : null}
          </>
        ) : (
          shortMessage(message) || 'The task run ended without a message.'
        )}
      </p>
      {frame ? <UserFrame frame={frame} /> : null}
      {frames.length > 1 ? <Traceback frames={frames} userFrame={user_frame} /> : null}
    </section>
  );
}

function Details({ view: { task_run: run } }: { readonly view: TaskRunView }) {
  const { retries, retry_delay } = run.empirical_policy ?? {};
  const facts: readonly (readonly [string, string | number | null | undefined])[] = [
    ['Task key', run.task_key],
    ['Dynamic key', run.dynamic_key],
    ['Task version', run.task_version],
    ['Cache key', run.cache_key],
    ['Retries', retries ? `${retries}${retryDelayOf(retry_delay)}` : undefined],
    ['Try of the flow run', run.flow_run_run_count && run.flow_run_run_count > 1 ? run.flow_run_run_count : undefined],
  ];
  const times: readonly (readonly [string, string | null | undefined])[] = [
    ['Created', run.created],
    ['Start', run.start_time],
    ['End', run.end_time],
    ['Cache expires', run.cache_expiration],
  ];
  return (
    <dl className="grid max-w-200 grid-cols-[10rem_1fr] gap-y-1">
      <dt className="text-quiet">Id</dt>
      <dd>
        <Id id={run.id} />
      </dd>
      {facts.map(([name, value]) =>
        value ? (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ) : null,
      )}
      {times.map(([name, time]) =>
        time ? (
          <div key={name} className="contents">
            <dt className="text-quiet">{name}</dt>
            <dd>
              <Moment time={time} absolute />
            </dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

function retryDelayOf(delay: number | readonly number[] | null | undefined): string {
  if (!delay) return '';
  return `, ${[delay].flat().map(duration).join(', ')} apart`;
}

function Actions({ view }: { readonly view: TaskRunView }) {
  const { task_run: run, flow_run } = view;
  const navigate = useNavigate();
  const mayChange = useMay('task_runs:write');
  const [asked, setAsked] = useState<'state' | 'commands' | 'delete'>();
  const close = () => setAsked(undefined);
  usePageActions([
    mayChange && { title: 'Change the state of this task run…', act: () => setAsked('state') },
    { title: 'This task run as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this task run…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      <RunMenu id={run.id} mayChange={mayChange} onAsk={setAsked} />
      <CommandsDialog isOpen={asked === 'commands'} onClose={close} commands={taskRunCommands(view)} />
      <ChangeState
        isOpen={asked === 'state'}
        onClose={close}
        subject={run.name ?? 'the task run'}
        onChange={async (state, force) => {
          await changeState({ kind: 'task_run', id: run.id }, state, force);
          await invalidate('/views/task_runs/{id}');
          notify(`State of ${run.name} changed to ${state.name}`);
        }}
      />
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        question={`Delete the task run ${run.name}?`}
        action="Delete the task run"
        done={`Task run ${run.name} deleted`}
        onConfirm={async () => {
          await deleteTaskRun(run.id);
          if (flow_run) await navigate({ to: '/runs/flow-run/$id', params: { id: flow_run.id }, search: {} });
          else await navigate({ to: '/runs', search: {} });
        }}
      >
        Its states and logs are deleted with it. The flow run stays. This cannot be undone.
      </Confirm>
    </>
  );
}
