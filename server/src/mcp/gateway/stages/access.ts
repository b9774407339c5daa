import type { Stage } from '../way/run-stages.ts';

/** Reads the server, the caller, and the caller's access to the server. */
export const access: Stage = (call, { openThings }) => {
  call.mark = openThings.mark();
  return (known, failed) =>
    call.askAccess((read) => {
      call.access = read;
      call.exchange.access = read;
      known(undefined);
    }, failed);
};
