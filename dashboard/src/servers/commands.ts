/** The actions of the page of an MCP server as commands. */
import { type Command, command, platformCommand } from '../api/command.ts';
import type { Server } from './queries.ts';

export function serverCommands(org: string, { slug, kind, role }: Server): Command[] {
  const path = `/organizations/${org}/servers/${slug}`;
  const ask = (title: string, method: 'GET' | 'POST' | 'DELETE', below = '') =>
    command(title, ...platformCommand(method, path + below));
  const commands = [ask('Inspect', 'GET'), ask('What it offers', 'GET', '/capabilities')];
  if (role !== 'editor' && role !== 'admin') return commands;
  commands.push(ask('Requests', 'GET', '/requests'), ask('Usage by owner', 'GET', '/usage?groupBy=owner'));
  if (kind !== 'builtin') commands.push(ask('Refresh what it offers', 'POST', '/capabilities/refresh'));
  if (kind === 'hosted') {
    commands.push(
      ask('Restart', 'POST', '/process/restart'),
      ask('Stop', 'POST', '/process/stop'),
      ask('Start', 'POST', '/process/start'),
    );
  }
  if (role === 'admin' && kind !== 'builtin') commands.push(ask('Delete', 'DELETE'));
  return commands;
}
