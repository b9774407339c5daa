import { isOutdated } from '../../../identity/access/admission-age.ts';
import type { Admission } from '../decide/admission.ts';
import type { Call } from '../way/call.ts';
import { after, type Outcome, type Stage } from '../way/run-stages.ts';

/** Decides whether the caller may use the server at all, and which of its capabilities. */
export const admission: Stage = (call, { admissions }) =>
  after(admissions.decide(call.request, call.access), (decided) => outcomeOf(decided, call));

/** Decides again if the body came slowly, because the access of its sender may have ended in the meantime. */
export const admissionAfterBody: Stage = (call, parts) => {
  if (!isOutdated(call.admittedAt)) return undefined;
  return call.readAccess().then((read) => {
    call.access = read;
    return admission(call, parts);
  });
};

function outcomeOf(decided: Admission, call: Call): Outcome {
  const { exchange } = call;
  exchange.reason = decided.reason;
  if ('admitted' in decided) {
    call.admitted = decided.admitted;
    call.admittedAt = performance.now();
    return undefined;
  }
  if (decided.denied) exchange.decision = 'denied';
  return decided.refusal;
}
