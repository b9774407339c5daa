import { scopeRefusal } from '../arrive/challenge.ts';
import type { Stage } from '../way/run-stages.ts';

/** Limits a client that a person signed in to the scope that the person granted. */
export const scope: Stage = ({ exchange, admitted, screened, request }, { config }) => {
  const lacking = scopeRefusal(admitted.access, screened.method, config, request);
  if (lacking) exchange.deny('the person did not allow the client this scope');
  return lacking;
};
