/** The actions of the page of a flow as commands. The Prefect client has none for one flow. */
import { type Command, command, curl } from '../api/command.ts';

export function flowCommands(id: string, mayDelete: boolean): Command[] {
  const path = `/flows/${id}`;
  const inspect = command('Inspect', curl('GET', path));
  const runs = command(
    'Newest runs',
    curl('POST', '/flow_runs/filter', {
      flows: { id: { any_: [id] } },
      sort: 'START_TIME_DESC',
      limit: 20,
    }),
  );
  return mayDelete ? [inspect, runs, command('Delete', curl('DELETE', path))] : [inspect, runs];
}
