/** The actions of the page of a work pool as commands. */
import { type Command, command, curl } from '../api/command.ts';
import { quoted } from '../api/shell-word.ts';
import type { WorkPoolView } from './queries.ts';

export function workPoolCommands({ work_pool: pool }: WorkPoolView, mayChange: boolean): Command[] {
  const path = `/work_pools/${encodeURIComponent(pool.name)}`;
  const name = quoted(pool.name);
  const inspect = command('Inspect', `prefect work-pool inspect ${name}`, curl('GET', path));
  if (!mayChange) return [inspect];
  const isPaused = pool.is_paused === true;
  return [
    inspect,
    command('Start a worker', `prefect worker start --pool ${name}`),
    command(
      isPaused ? 'Resume' : 'Pause',
      `prefect work-pool ${isPaused ? 'resume' : 'pause'} ${name}`,
      curl('PATCH', path, { is_paused: !isPaused }),
    ),
    command('Delete', `prefect work-pool delete ${name}`, curl('DELETE', path)),
  ];
}
