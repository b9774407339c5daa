/** The actions of the page of a block as commands. Those that read leave secrets masked. */
import { type Command, command, curl } from '../api/command.ts';

export function blockCommands(id: string, mayChange: boolean): Command[] {
  const path = `/block_documents/${id}`;
  const inspect = command('Inspect', `prefect block inspect --id ${id}`, curl('GET', path));
  if (!mayChange) return [inspect];
  return [inspect, command('Delete', `prefect block delete --id ${id}`, curl('DELETE', path))];
}
