/** The reason why a run failed or does not continue, at the top of its page. */
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { Reasons } from '../../../components/reasons.tsx';
import { StateMark } from '../../../design/state-mark.tsx';
import { firstLine } from '../../../design/state-message.ts';
import { stateKind } from '../../../design/states.ts';
import type { FlowRunView } from '../../queries.ts';
import { AttemptOfFailure } from './attempts.tsx';
import { Traceback, UserFrame } from './code-frames.tsx';
import { LastSuccess } from './last-success.tsx';

type Failure = NonNullable<FlowRunView['failure']>;

interface FailureProps {
  readonly view: FlowRunView;
  readonly failure: Failure;
  readonly onChooseTask: (id: string) => void;
}

export function FailurePanel({ view, failure, onChooseTask }: FailureProps) {
  const { exception, task, frames, user_frame } = failure;
  const attempt = view.attempts.find(({ number }) => number === view.explained);
  const kind = stateKind(attempt?.state_type, attempt?.state_name);
  const frame = user_frame === null ? undefined : frames[user_frame];
  return (
    <section
      aria-label="Why it failed"
      className={`border-l-2 bg-surface py-3 pr-4 pl-4 ${kind === 'CRASHED' ? 'border-crashed' : 'border-failed'}`}
    >
      <div className="grid gap-x-8 gap-y-3 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0">
          <AttemptOfFailure view={view} />
          <p className="text-lg font-semibold">
            {exception ? (
              <>
                <span className={kind === 'CRASHED' ? 'text-crashed-text' : 'text-failed-text'}>{exception.type}</span>
                {exception.message ? <span className="font-normal">: {firstLine(exception.message)}</span> : null}
              </>
            ) : (
              firstLine(failure.message ?? 'The run ended without a message.')
            )}
          </p>
          <p className="mt-1 text-soft">
            <Place failure={failure} onChooseTask={onChooseTask} />
            {failure.similar > 0 ? ` · ${failure.similar} more like it in the seven days before` : ''}
          </p>
          {frame ? <UserFrame frame={frame} /> : null}
        </div>
        <div className="min-w-0 text-sm">
          {task && triesOf(task) > 1 ? <Attempts attempts={task.attempts} /> : null}
          <LastSuccess view={view} />
        </div>
      </div>
      {frames.length > 1 ? <Traceback frames={frames} userFrame={user_frame} /> : null}
    </section>
  );
}

/** The task, or the flow, that failed, with a way to its logs. A task of a subflow is on the page of that. */
function Place({ failure: { subflows, task }, onChooseTask }: Omit<FailureProps, 'view'>) {
  const deepest = subflows.at(-1);
  const linkClass = 'font-medium text-accent hover:underline';
  return (
    <>
      {!task ? null : deepest ? (
        <>
          in the task{' '}
          <Link to="/runs/flow-run/$id" params={{ id: deepest.id }} search={{ task: task.id }} className={linkClass}>
            {task.name}
          </Link>{' '}
        </>
      ) : (
        <>
          in the task{' '}
          <button type="button" className={linkClass} onClick={() => onChooseTask(task.id)}>
            {task.name}
          </button>
          , which failed first
        </>
      )}
      {subflows.map((subflow, index) => (
        <Fragment key={subflow.id}>
          {index > 0 ? ' › ' : task ? 'of the subflow ' : 'in the subflow '}
          <Link to="/runs/flow-run/$id" params={{ id: subflow.id }} className={linkClass} title={subflow.name}>
            {subflow.flow_name}
          </Link>
        </Fragment>
      ))}
      {task ? null : deepest ? ', outside of its tasks' : 'in the flow itself, outside of its tasks'}
    </>
  );
}

function triesOf({ attempts }: NonNullable<Failure['task']>): number {
  return attempts.filter(({ type }) => type === 'RUNNING').length;
}

function Attempts({ attempts }: { readonly attempts: NonNullable<Failure['task']>['attempts'] }) {
  return (
    <div className="mb-2">
      <p className="text-xs text-quiet">{attempts.filter(({ type }) => type === 'RUNNING').length} tries</p>
      <p className="flex flex-wrap items-center gap-1">
        {attempts.map((state) => (
          <span key={state.id} title={`${state.name} ${state.timestamp}`}>
            <StateMark kind={stateKind(state.type, state.name)} size={12} alone />
          </span>
        ))}
      </p>
    </div>
  );
}

export function WaitingPanel({ waiting }: { readonly waiting: NonNullable<FlowRunView['waiting']> }) {
  const reasons = waiting.reasons.filter(({ code }) => code !== 'running' && code !== 'ended');
  if (reasons.length === 0) return null;
  return (
    <section aria-label="Why it waits" className="border-l-2 border-late bg-surface px-4 py-3">
      <Reasons reasons={reasons} />
    </section>
  );
}
