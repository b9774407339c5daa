/** The actions on a flow run that its state and the person's role allow. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/access.ts';
import { invalidate } from '../../api/read.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { CommandsDialog } from '../../components/commands-dialog.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { MenuItem } from '../../components/menu.tsx';
import { notify } from '../../components/notify/notify.ts';
import { isEnded } from '../../design/states.ts';
import { usePageActions } from '../../shell/page-actions.ts';
import { changeState, pauseRun, resumeRun, startNow } from '../actions.ts';
import { beginWork } from '../bulk/begin.tsx';
import { ChangeState } from '../change-state.tsx';
import { flowRunCommands } from '../commands.ts';
import type { FlowRunView } from '../queries.ts';
import { CompareItems } from './compare-actions.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { RunMenu } from './run-menu.tsx';

type Question = 'retry' | 'cancel' | 'pause' | 'state' | 'commands' | 'delete';

export function FlowRunActions({ view }: { readonly view: FlowRunView }) {
  const { flow_run: run, deployment } = view;
  const navigate = useNavigate();
  const mayChange = useMay('flow_runs:write');
  const [asked, setAsked] = useState<Question>();
  const [problem, setProblem] = useState<string>();
  const close = () => setAsked(undefined);
  const read = () => invalidate('/views/flow_runs/{id}');
  const act = (action: () => Promise<unknown>, done?: string) => {
    setProblem(undefined);
    action()
      .then(read)
      .then(() => done !== undefined && notify(done))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  /** True while an act can be undone, and until it is done. */
  const [isWaiting, setWaiting] = useState(false);
  const begin = async (action: 'retry' | 'cancel') => {
    setWaiting(true);
    const work = await beginWork({ action, flow_run_ids: [run.id] }).catch((error: unknown) => {
      setWaiting(false);
      throw error;
    });
    void work.ended.finally(() => setWaiting(false));
  };
  const retry = () => act(() => begin('retry'));
  const resume = () => act(() => resumeRun(run.id), `Run ${run.name} resumed`);
  const start = () => act(() => startNow(run.id), `Run ${run.name} starts now`);
  const ended = isEnded(run.state_type);
  const hasFailed = run.state_type === 'FAILED' || run.state_type === 'CRASHED';
  const due = run.state?.state_details?.scheduled_time;
  const isEarly = run.state_type === 'SCHEDULED' && due !== null && due !== undefined && Date.parse(due) > Date.now();
  const mayResume = mayChange && run.state_type === 'PAUSED' && !waitsForInput(view);
  const mayRetry = mayChange && hasFailed && !isWaiting && deployment !== null && deployment !== undefined;
  usePageActions([
    mayResume && { title: 'Resume this run', act: resume },
    mayRetry && { title: 'Retry this run…', key: 'r', act: () => setAsked('retry') },
    mayChange && isEarly && { title: 'Start this run now', act: start },
    mayChange && !ended && !isWaiting && { title: 'Cancel this run…', key: 'c', act: () => setAsked('cancel') },
    mayChange && { title: 'Change the state of this run…', act: () => setAsked('state') },
    { title: 'This run as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this run…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      {problem === undefined ? null : (
        <span role="alert" className="text-failed-text">
          {problem}
        </span>
      )}
      {mayResume ? (
        <Button kind="primary" onClick={resume}>
          Resume
        </Button>
      ) : null}
      {mayChange && hasFailed ? (
        <Button
          kind="primary"
          disabled={!deployment || isWaiting}
          title={
            deployment
              ? 'What has completed is not repeated, where its result is kept'
              : 'Only a run of a deployment can be retried: no worker would pick up this one.'
          }
          onClick={() => setAsked('retry')}
        >
          Retry
        </Button>
      ) : null}
      {mayChange && isEarly ? <Button onClick={start}>Start now</Button> : null}
      {mayChange && !ended ? (
        <Button disabled={isWaiting} onClick={() => setAsked('cancel')}>
          Cancel
        </Button>
      ) : null}
      {mayChange && deployment ? (
        <Link
          to="/deployments/deployment/$id/run"
          params={{ id: deployment.id }}
          search={{ from: run.id }}
          className={buttonClass()}
        >
          Run again…
        </Link>
      ) : null}
      <RunMenu
        id={run.id}
        mayChange={mayChange}
        onAsk={setAsked}
        changes={run.state_type === 'RUNNING' ? <MenuItem onSelect={() => setAsked('pause')}>Pause…</MenuItem> : null}
      >
        <CompareItems view={view} />
      </RunMenu>
      <RetryDialog run={run} isOpen={asked === 'retry'} onClose={close} onRetry={retry} />
      <Confirm
        isOpen={asked === 'cancel'}
        onClose={close}
        question={`Cancel the run ${run.name}?`}
        action="Cancel the run"
        onConfirm={() => begin('cancel')}
      >
        {run.start_time ? 'Its worker is asked to stop it. What it has done so far stays.' : 'It does not start.'}
      </Confirm>
      <Confirm
        isOpen={asked === 'pause'}
        onClose={close}
        question={`Pause the run ${run.name}?`}
        action="Pause the run"
        done={`Run ${run.name} paused`}
        onConfirm={async () => {
          await pauseRun(run.id);
          await read();
        }}
      >
        The run counts as paused until somebody resumes it. Its process is not stopped: code that is running goes on.
      </Confirm>
      <ChangeState
        isOpen={asked === 'state'}
        onClose={close}
        subject={run.name ?? 'the run'}
        onChange={async (state, force) => {
          await changeState({ kind: 'flow_run', id: run.id }, state, force);
          await read();
          notify(`State of ${run.name} changed to ${state.name}`);
        }}
      />
      <CommandsDialog isOpen={asked === 'commands'} onClose={close} commands={flowRunCommands(view, mayChange)} />
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        question={`Delete the run ${run.name}?`}
        action="Delete the run"
        onConfirm={async () => {
          await beginWork({ action: 'delete', flow_run_ids: [run.id] });
          await navigate({ to: '/runs', search: {} });
        }}
      >
        {tasksOf(view)} states and logs are deleted with it. After five seconds, this cannot be undone.
      </Confirm>
    </>
  );
}

function tasksOf({ task_runs }: FlowRunView): string {
  const count = task_runs.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return 'Its';
  return count === 1 ? 'Its task run,' : `Its ${count.toLocaleString('en')} task runs,`;
}

/** True if the run can only continue with an answer to its question. */
export function waitsForInput({ flow_run: { state } }: FlowRunView): boolean {
  return state?.type === 'PAUSED' && state.state_details?.run_input_keyset?.['schema'] !== undefined;
}
