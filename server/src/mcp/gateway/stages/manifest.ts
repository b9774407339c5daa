import { after, type Stage } from '../way/run-stages.ts';

/** Reads the known facts about the server: its revisions, and its answers to unknown names. */
export const manifest: Stage = (call, { manifests }) =>
  after(manifests.factsOf(call.admitted.server), (facts) => {
    call.facts = facts;
    return undefined;
  });
