import { allowOrigin, answerPreflight } from '../arrive/host-check.ts';
import { ENDED, type Stage } from '../way/run-stages.ts';

/** Lets the pages that may use the server read its answers, and answers their preflight requests. */
export const crossOrigin: Stage = ({ request, response }) => {
  allowOrigin(request, response);
  return answerPreflight(request, response) ? ENDED : undefined;
};
