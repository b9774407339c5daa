/** The actions of the page of a run as commands. People who may only read get the commands that read. */
import { type Command, command, curl } from '../api/command.ts';
import { quoted } from '../api/shell-word.ts';
import { isEnded } from '../design/states.ts';
import type { FlowRunView, TaskRunView } from './queries.ts';

export function flowRunCommands({ flow_run: run, deployment, flow }: FlowRunView, mayChange: boolean): Command[] {
  const path = `/flow_runs/${run.id}`;
  const commands = [
    command('Inspect', `prefect flow-run inspect ${run.id}`, curl('GET', path)),
    command('Logs', `prefect flow-run logs ${run.id}`, curl('GET', `${path}/logs/download`)),
  ];
  if (!mayChange) return commands;
  const setState = (type: string, name: string) => curl('POST', `${path}/set_state`, { state: { type, name } });
  if (!isEnded(run.state_type)) {
    commands.push(command('Cancel', `prefect flow-run cancel ${run.id}`, setState('CANCELLING', 'Cancelling')));
  }
  if (run.state_type === 'PAUSED') commands.push(command('Resume', curl('POST', `${path}/resume`, {})));
  if (!deployment) return commands;
  if (run.state_type === 'FAILED' || run.state_type === 'CRASHED') {
    commands.push(command('Retry', `prefect flow-run retry ${run.id}`, setState('SCHEDULED', 'AwaitingRetry')));
  }
  const { parameters = {} } = run;
  const given = Object.keys(parameters).length > 0 ? ` --params ${quoted(JSON.stringify(parameters))}` : '';
  commands.push(
    command(
      'Run again',
      `prefect deployment run ${quoted(`${flow.name}/${deployment.name}`)}${given}`,
      curl('POST', `/deployments/${deployment.id}/create_flow_run`, { parameters }),
    ),
  );
  return commands;
}

export function taskRunCommands({ task_run: { id } }: TaskRunView): Command[] {
  const logs = { logs: { task_run_id: { any_: [id] } } };
  return [
    command('Inspect', `prefect task-run inspect ${id}`, curl('GET', `/task_runs/${id}`)),
    command('Logs', `prefect task-run logs ${id}`, curl('POST', '/logs/filter', logs)),
  ];
}
