import { foreignHost } from '../arrive/refusals.ts';
import type { Stage } from '../way/run-stages.ts';

/** Refuses a host name that a foreign page may use, because no credential keeps such a page away. */
export const hostName: Stage = ({ request }, { pageGuard }) => {
  const refusal = pageGuard.hostRefusalOf(request);
  return refusal === undefined ? undefined : foreignHost(refusal);
};

/** Applies `hostName` if the API requires no credential. */
export const hostNameOfOpenApi: Stage = (call, parts) =>
  parts.config.apiAuth === 'open' ? hostName(call, parts) : undefined;
