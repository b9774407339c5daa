/** Says what the processes of a server have together. */
import type { Config } from '../config.ts';
import { capacityOf, databaseConnectionsOf } from '../fairness/capacity.ts';
import { counted } from '../values/counted.ts';

/** Connections of each process besides those for requests: for messages of others, and for changes of the schema. */
const OTHER_CONNECTIONS = 2;
/** Connections for the background services, which one process runs. */
const SERVICE_CONNECTIONS = 4;
const MEGABYTE = 1024 * 1024;

/** The most connections to the database, while no process is replaced. */
export function databaseConnectionsOfAll(config: Pick<Config, 'databaseConnections'>, processes: number): number {
  const each = databaseConnectionsOf(config.databaseConnections, processes) + OTHER_CONNECTIONS;
  return processes * each + SERVICE_CONNECTIONS;
}

export function sharesText(config: Config, processes: number): string {
  const each = capacityOf(config, processes);
  const all = (share: number) => share * processes;
  const sums = [
    counted(each.connections, 'connection'),
    counted(all(each.requests), 'request'),
    `${counted(all(each.serverRequests), 'request')} to MCP servers`,
    `${Math.round(all(each.bodyBytes) / MEGABYTE)} MB of bodies`,
    `${counted(all(each.passwordHashes), 'password hash', 'password hashes')}`,
    `up to ${counted(databaseConnectionsOfAll(config, processes), 'connection')} to the database`,
  ];
  return `${processes}, with together ${sums.slice(0, -1).join(', ')} and ${sums.at(-1)}`;
}
