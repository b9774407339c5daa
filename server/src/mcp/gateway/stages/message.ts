import { screen } from '../decide/screen.ts';
import type { Stage } from '../way/run-stages.ts';

/** Checks the message and its session, and that the policy allows its capability. */
export const message: Stage = (call, { sessions, tasks }) => {
  const { exchange, admitted, sent } = call;
  const { server, actorId, view } = admitted;
  const screened = screen({
    httpMethod: sent.method,
    headers: call.request.headers,
    body: sent.body,
    view,
    work: call.work,
    unknown: call.facts.unknown,
    deniedAs: server.denied_as,
    openSession: (sealed) => sessions.open(sealed, server.id, actorId),
    openTask: (sealed) => tasks.open(sealed, server.id, actorId),
  });
  call.screened = screened;
  call.messageId = screened.id;
  exchange.note(screened);
  const { verdict } = screened;
  exchange.reason = verdict.reason;
  if (verdict.kind === 'forward') {
    // Other processes may have tasks that this one has not seen.
    return screened.method === 'tasks/list' ? tasks.load(server.id, actorId).then(() => undefined) : undefined;
  }
  exchange.decision = verdict.decision;
  return verdict.refusal;
};
