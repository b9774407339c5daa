import { isPassedOn } from '../../../network/client-route.ts';
import type { Peers } from '../../../peers/peers.ts';
import { BUSY, HOLDER_AWAY, UNKNOWN_SESSION } from '../arrive/refusals.ts';
import type { Call } from '../way/call.ts';
import { ENDED, type Outcome, type Stage } from '../way/run-stages.ts';

/**
 * Passes a request in a session on to the process that keeps what belongs to the session. That process decides and
 * records it as if it had come there. A request is passed on once, so a session whose process has gone is unknown.
 */
export const holder: Stage = (call, { peers, sessions, receiver }) => {
  const { request, exchange, admitted } = call;
  const sealed = request.headers['mcp-session-id'];
  if (!peers || typeof sealed !== 'string') return undefined;
  const id = sessions.open(sealed, admitted.server.id, admitted.actorId)?.holder;
  if (id === undefined || id === peers.id) return undefined;
  if (isPassedOn(request)) return UNKNOWN_SESSION;
  const leave = receiver.enterUnread(admitted.server.organization_id);
  if (!leave) return BUSY;
  exchange.enter(leave);
  return passTo(id, call, peers);
};

async function passTo(id: string, { request, response, exchange }: Call, peers: Peers): Promise<Outcome> {
  const peer = await peers.directory.find(id);
  if (!peer) return UNKNOWN_SESSION;
  return new Promise((resolve) => {
    peers.passOn(peer, request, response, {
      began: () => {
        exchange.passed();
        exchange.leave();
        resolve(ENDED);
      },
      failed: (error) => {
        const answer = (lives: boolean) => resolve(lives ? HOLDER_AWAY : UNKNOWN_SESSION);
        if (error.code === 'ECONNREFUSED') answer(false);
        else peers.directory.lives(id).then(answer, () => answer(true));
      },
    });
  });
}
