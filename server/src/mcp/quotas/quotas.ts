/** Decides whether a request fits into the quotas of a server. */

import type { Store } from '../../database/store.ts';
import { type WorkAllowance, WorkSpent } from '../../fairness/foreign-work/allowance.ts';
import { MatchedText } from '../../fairness/foreign-work/glob.ts';
import { Windows } from '../../rates/windows.ts';
import { counted } from '../../values/counted.ts';
import type { Clock } from '../../values/time.ts';
import type { Limits, Quota } from './limits.ts';
import { Places } from './places.ts';

interface CountedRequest {
  readonly serverId: string;
  readonly actorId: string;
  /** The tool that it calls. */
  readonly tool: string | undefined;
  /** Number of protocol requests in it. */
  readonly amount: number;
}

interface QuotaRefusal {
  readonly retryAfterSeconds: number;
  /** A sentence for the person whose client was refused. */
  readonly message: string;
  /** The reason for the record. */
  readonly reason: string;
}

/** Time does not help, so a client should not retry soon. */
const TOO_COSTLY: QuotaRefusal = {
  retryAfterSeconds: 60,
  message: 'Comparing the name of the tool with the quotas of this server takes too much work.',
  reason: 'comparing the name with the quotas takes too much work',
};

export class Quotas {
  readonly #rates: Windows;
  readonly #places: Places;

  /** `processes` is the number of those that live on the database. */
  constructor(store: Store, clock: Clock, processes?: () => number) {
    this.#rates = new Windows(store, clock, processes);
    this.#places = new Places(store, clock);
  }

  /** Returns a function that ends the request's places, or the refusal. A refused request takes no place. */
  async admit(limits: Limits, request: CountedRequest, work: WorkAllowance): Promise<(() => void) | QuotaRefusal> {
    const matching = quotasOf(limits, request.tool, work);
    if (!matching) return TOO_COSTLY;
    const releases: (() => void)[] = [];
    const release = () => {
      for (const one of releases) one();
    };
    try {
      // Places come first: a request without a place must not use up the minute.
      for (const quota of matching) {
        const limit = quota.concurrentRequests;
        if (limit === null) continue;
        const taken = await this.#places.take({ ...counterOf('places', quota, request), limit });
        if (!taken) {
          release();
          return refusal(quota, `${counted(limit, 'request')} at the same time`, 1);
        }
        releases.push(taken);
      }
      for (const quota of matching) {
        const limit = quota.requestsPerMinute;
        if (limit === null) continue;
        const wait = await this.#rates.take({ ...counterOf('rate', quota, request), limit, amount: request.amount });
        if (wait > 0) {
          release();
          return refusal(quota, `${counted(limit, 'request')} a minute`, wait);
        }
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): void {
    this.#places.close();
  }
}

/** Undefined when finding them costs more than `work`. */
function quotasOf({ quotas }: Limits, tool: string | undefined, work: WorkAllowance): readonly Quota[] | undefined {
  try {
    const name = tool === undefined ? undefined : new MatchedText(tool, work);
    return quotas.filter(({ matches }) => matches(name)).map(({ quota }) => quota);
  } catch (error) {
    if (error instanceof WorkSpent) return undefined;
    throw error;
  }
}

function counterOf(of: string, { per, tool }: Quota, { serverId, actorId }: CountedRequest) {
  return { serverId, counter: `${of} ${serverId} ${per === 'actor' ? actorId : '*'} ${tool ?? ''}` };
}

function refusal({ per, tool }: Quota, amount: string, retryAfterSeconds: number): QuotaRefusal {
  const whose = per === 'actor' ? 'You' : 'All callers together';
  const what = tool === null ? 'this server' : `its tool ${tool}`;
  return {
    retryAfterSeconds,
    message: `${whose} may send ${amount} to ${what}. Try again in ${retryAfterSeconds} s.`,
    reason: `quota of ${amount} per ${per}${tool === null ? '' : ` for ${tool}`}`,
  };
}
