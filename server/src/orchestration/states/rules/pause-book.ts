import type { ClientInfo } from '../../../context.ts';
import { isAtLeast } from '../../../versions.ts';

/** Clients before API version 0.8.4 do not expect the server to keep book of pauses (`resuming`, `pause_keys`). */
export function keepsPauseBook(client: ClientInfo): boolean {
  return client.apiVersion === undefined || isAtLeast(client.apiVersion, '0.8.4');
}
