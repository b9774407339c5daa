import { nextTurn } from '../../../fairness/turns.ts';
import type { Received } from '../arrive/receive-request.ts';
import type { Call } from '../way/call.ts';
import { after, ENDED, type Outcome, type Stage } from '../way/run-stages.ts';

/** A larger body is read in a turn of the event loop of its own, so that others are served between two of them. */
const LARGE_BYTES = 1024 * 1024;

/** Receives the message. From now on the call counts as open, until its answer has ended or begun to stream. */
export const body: Stage = (call, { receiver }) => {
  // Admission, or the server's own authentication, came before, so there is a server.
  const { organization_id } = call.access.server!;
  return after(receiver.receive(call.request, call.response, organization_id), (received) => enter(call, received));
};

function enter(call: Call, received: Received): Outcome | Promise<undefined> {
  if (!received) return ENDED;
  if ('refusal' in received) return received.refusal;
  const bytes = received.body?.length ?? 0;
  call.sent = received;
  call.exchange.enter(received.leave);
  call.exchange.requestBytes = bytes;
  return bytes > LARGE_BYTES ? nextTurn().then(() => undefined) : undefined;
}
