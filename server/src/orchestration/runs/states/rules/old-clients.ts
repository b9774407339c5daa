/** Work that clients of older versions do themselves. */
import type { ClientInfo } from '../../../../context/context.ts';
import { isAtLeast } from '../../../../values/versions.ts';

/** Clients from this version on renew the lease on their run's slot. Shown by deployment-slots.test.ts. */
export const LEASE_RENEWING_VERSION = '3.4.11';

/** Clients of these versions take the slots of their deployment themselves. Shown by deployment-slots.test.ts. */
export const slotTakingVersions: readonly string[] = ['3.0.0rc20', '3.0.0', '3.0.1', '3.0.2', '3.0.3'];

/**
 * The server records pauses for every client (`resuming`, `pause_keys`). It clears the record only for clients from API
 * version 0.8.4 on; older clients clear it themselves. Shown by states/old-clients.test.ts.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function endsPauses(client: ClientInfo): boolean {
  return client.apiVersion === undefined || isAtLeast(client.apiVersion, '0.8.4');
}
