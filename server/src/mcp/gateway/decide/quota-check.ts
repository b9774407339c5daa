/** Counts a request that may go on against the quotas of its server. */
import type { ServerResponse } from 'node:http';
import type { WorkAllowance } from '../../../foreign-work/allowance.ts';
import { atClose } from '../../../network/at-close.ts';
import { limitsOf } from '../../quotas/limits.ts';
import type { QuotaRefusal, Quotas } from '../../quotas/quotas.ts';
import type { Admitted } from './admitted.ts';
import type { Screened } from './screen.ts';

/** The reason why it must wait; undefined when it may go on, at once where nothing is counted. Its place is given back when `response` closes. */
export function checkQuotas(
  quotas: Quotas,
  { server, actorId }: Admitted,
  { screened, work }: { readonly screened: Screened; readonly work: WorkAllowance },
  response: ServerResponse,
): undefined | Promise<QuotaRefusal | undefined> {
  const limits = limitsOf(server.limits);
  const amount = limits && limits.quotas.length > 0 ? screened.requests : 0;
  if (!limits || amount === 0) return undefined;
  const { capability } = screened;
  const tool = capability?.kind === 'tool' ? capability.name : undefined;
  return quotas.admit(limits, { serverId: server.id, actorId, tool, amount }, work).then((found) => {
    if (typeof found !== 'function') return found;
    if (response.closed) found();
    else atClose(response, found);
    return undefined;
  });
}
