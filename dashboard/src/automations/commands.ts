/** The actions of the page of an automation as commands. */
import { type Command, command, curl } from '../api/command.ts';

interface Given {
  readonly id: string;
  readonly enabled: boolean;
}

export function automationCommands({ id, enabled }: Given, mayChange: boolean): Command[] {
  const path = `/automations/${id}`;
  const inspect = command('Inspect', `prefect automation inspect --id ${id}`, curl('GET', path));
  if (!mayChange) return [inspect];
  const verb = enabled ? 'pause' : 'resume';
  return [
    inspect,
    command(
      enabled ? 'Switch off' : 'Switch on',
      `prefect automation ${verb} --id ${id}`,
      curl('PATCH', path, { enabled: !enabled }),
    ),
    command('Delete', `prefect automation delete --id ${id}`, curl('DELETE', path)),
  ];
}
