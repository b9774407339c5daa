import { encodedHeader } from '../../protocol/era.ts';
import { addActorHeaders, headersUpstream } from '../arrive/headers-upstream.ts';
import { Listener, listens } from '../return/listener.ts';
import { Passage } from '../return/passage.ts';
import { Relay } from '../return/relay.ts';
import { send } from '../return/send.ts';
import type { Call } from '../way/call.ts';
import { after, ENDED, type Stage } from '../way/run-stages.ts';
import type { StageParts } from '../way/stage-parts.ts';

/** Forwards the message to the server, and filters its answer by the caller's view. */
export const forward: Stage = (call, parts) => {
  const { exchange, admitted, screened, sent, facts } = call;
  const { verdict } = screened;
  exchange.decision = 'allowed';
  const listener = listenerOf(call, parts);
  const passage = new Passage(parts.passage, call, { server: admitted.server, admitted, screened, listener });
  const relay = new Relay(call.response, parts.wayBack.of(exchange, admitted, screened, listener), passage);
  const request = {
    method: sent.method,
    headers: headersOf(call),
    body: verdict.kind === 'forward' ? verdict.body : null,
  };
  const open = () => parts.destinations.open(exchange, admitted, screened, facts.eras);
  return after(send(relay, open, request), () => ENDED);
};

function headersOf({ request, admitted, screened }: Call) {
  const { server, access, role } = admitted;
  const headers = headersUpstream(request.headers);
  if (screened.session) headers['mcp-session-id'] = screened.session.upstreamId;
  if (screened.task && headers['mcp-name'] !== undefined) {
    headers['mcp-name'] = encodedHeader(screened.task.upstreamId);
  }
  const { actor, organizationRole } = access;
  if (server.kind !== 'external' && actor) addActorHeaders(headers, { actor, organizationRole, role });
  return headers;
}

/** Undefined for a call whose answer is not a stream that stays open. */
function listenerOf({ admitted, screened, sent, readAccess }: Call, { policies, destinations }: StageParts) {
  if (!listens(screened, sent.method)) return undefined;
  const isSessionOpen = () => destinations.isOpen(screened.session);
  return new Listener(admitted, screened, policies, { readAccess, isSessionOpen });
}
