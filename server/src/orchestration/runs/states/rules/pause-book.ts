import type { ClientInfo } from '../../../../context.ts';
import { isAtLeast } from '../../../../versions.ts';

/**
 * The server records pauses for every client (`resuming`, `pause_keys`). It clears the record only for clients from API
 * version 0.8.4 on; older clients clear it themselves. Shown by states/old-clients.test.ts.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function endsPauses(client: ClientInfo): boolean {
  return client.apiVersion === undefined || isAtLeast(client.apiVersion, '0.8.4');
}
