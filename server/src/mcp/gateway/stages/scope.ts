import { scopeRefusal } from '../arrive/challenge.ts';
import type { Stage } from '../way/run-stages.ts';

/** A client that a person signed in may send what the person allowed it. */
export const scope: Stage = ({ exchange, admitted, screened, request }, { config }) => {
  const lacking = scopeRefusal(admitted.access, screened.method, config, request);
  if (lacking) exchange.deny('the person allows the client less');
  return lacking;
};
