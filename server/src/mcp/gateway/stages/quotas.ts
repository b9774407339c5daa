import { atClose } from '../../../network/at-close.ts';
import { limitsOf } from '../../quotas/limits.ts';
import { quotaRefusal } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** Counts the call against the quotas of its server. Its place is returned when its answer ends. */
export const quotas: Stage = ({ exchange, response, admitted, screened, work }, parts) => {
  const { server, actorId } = admitted;
  const limits = limitsOf(server.limits);
  const amount = limits && limits.quotas.length > 0 ? screened.requests : 0;
  if (!limits || amount === 0) return undefined;
  const tool = screened.capability?.kind === 'tool' ? screened.capability.name : undefined;
  return parts.quotas.admit(limits, { serverId: server.id, actorId, tool, amount }, work).then((found) => {
    if (found && typeof found !== 'function') {
      exchange.deny(found.reason);
      return quotaRefusal(found);
    }
    if (found && response.closed) found();
    else if (found) atClose(response, found);
    return undefined;
  });
};
