/** The actions of the page of a deployment as commands. */
import { type Command, command, curl } from '../api/command.ts';
import { quoted } from '../api/shell-word.ts';
import type { DeploymentView } from './queries.ts';

interface Rights {
  readonly mayRun: boolean;
  readonly mayChange: boolean;
}

export function deploymentCommands({ deployment, flow }: DeploymentView, { mayRun, mayChange }: Rights): Command[] {
  const path = `/deployments/${deployment.id}`;
  const name = quoted(`${flow.name}/${deployment.name}`);
  const commands = [command('Inspect', `prefect deployment inspect ${name}`, curl('GET', path))];
  if (mayRun) {
    commands.push(command('Run', `prefect deployment run ${name}`, curl('POST', `${path}/create_flow_run`, {})));
  }
  if (mayChange) {
    commands.push(
      deployment.paused
        ? command('Resume', curl('POST', `${path}/resume_deployment`))
        : command('Pause', curl('POST', `${path}/pause_deployment`)),
      command('Delete', `prefect deployment delete ${name}`, curl('DELETE', path)),
    );
  }
  return commands;
}
