import { after, type Stage } from '../way/run-stages.ts';

/** Reads what is known of the server: the revisions that it speaks, and how it answers unknown names. */
export const manifest: Stage = (call, { manifests }) =>
  after(manifests.factsOf(call.admitted.server), (facts) => {
    call.facts = facts;
    return undefined;
  });
