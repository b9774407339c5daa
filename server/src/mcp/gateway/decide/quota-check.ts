/** Counts a request that may go on against the quotas of its server. */
import type { ServerResponse } from 'node:http';
import { atClose } from '../../../network/at-close.ts';
import { isObject } from '../../protocol/message.ts';
import { limitsOf } from '../../quotas/limits.ts';
import type { QuotaRefusal, Quotas } from '../../quotas/quotas.ts';
import type { Admitted } from './admitted.ts';
import type { Screened } from './screen.ts';

/** The reason why it must wait; undefined when it may go on, at once where nothing is counted. Its place is given back when `response` closes. */
export function checkQuotas(
  quotas: Quotas,
  { server, actorId }: Admitted,
  screened: Screened,
  response: ServerResponse,
): undefined | Promise<QuotaRefusal | undefined> {
  const limits = limitsOf(server.limits);
  const amount = limits && limits.quotas.length > 0 ? requestsIn(screened) : 0;
  if (!limits || amount === 0) return undefined;
  const { capability } = screened;
  const tool = capability?.kind === 'tool' ? capability.name : undefined;
  return quotas.admit(limits, { serverId: server.id, actorId, tool, amount }).then((found) => {
    if (typeof found !== 'function') return found;
    if (response.closed) found();
    else atClose(response, found);
    return undefined;
  });
}

/** Notifications, answers of the client and the end of a session are no requests: they must arrive. */
function requestsIn({ verdict, method, id }: Screened): number {
  if (method === 'GET' || id !== undefined) return 1;
  if (method !== 'batch' || verdict.kind !== 'forward' || verdict.body === null) return 0;
  const messages: unknown = JSON.parse(verdict.body.toString('utf8'));
  if (!Array.isArray(messages)) return 0;
  return messages.filter((one) => isObject(one) && 'id' in one && 'method' in one).length;
}
