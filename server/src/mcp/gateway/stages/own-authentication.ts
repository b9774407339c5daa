import { OWN_AUTHENTICATION } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/**
 * A call to a server that authenticates its callers itself is forwarded untouched. From the dashboard it is refused,
 * because the answer of such a server must not reach the platform's pages.
 */
export const ownAuthentication: Stage = (call) => {
  if (call.access.server?.authentication !== 'none') return undefined;
  if (call.arrival === 'session') return OWN_AUTHENTICATION;
  call.arrival = 'untouched';
  return undefined;
};
