import type { ClientInfo } from '../../../../context.ts';
import { isAtLeast } from '../../../../versions.ts';

/**
 * Pauses are written down for every client (`resuming`, `pause_keys`), but states that clients before API version 0.8.4
 * propose take nothing of that away: such clients do so themselves. Source: asked of the reference server.
 */
export function endsPauses(client: ClientInfo): boolean {
  return client.apiVersion === undefined || isAtLeast(client.apiVersion, '0.8.4');
}
