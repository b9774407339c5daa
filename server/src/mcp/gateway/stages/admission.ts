import { isOutdated } from '../../../identity/access/admission-age.ts';
import type { Admission } from '../decide/admission.ts';
import type { Call } from '../way/call.ts';
import { after, type Outcome, type Stage } from '../way/run-stages.ts';
import type { StageParts } from '../way/stage-parts.ts';

/** Decides whether the caller may use the server at all, and which of its capabilities. */
export const admission: Stage = (call, parts) => admit(call, parts);

/** Decides again if the body came slowly, because the access of its sender may have ended in the meantime. */
export const admissionAfterBody: Stage = (call, parts) => {
  if (!isOutdated(call.admittedAt)) return undefined;
  return call.readAccess().then((read) => {
    call.access = read;
    return admit(call, parts);
  });
};

function admit(call: Call, { admissions }: StageParts): Outcome | Promise<Outcome> {
  return after(admissions.decide(call.request, call.access), (decided) => outcomeOf(decided, call));
}

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
