import { clientRouteOf } from '../../../network/client-route.ts';
import { forwardedHeaders, untouchedHeaders } from '../arrive/headers-upstream.ts';
import { Passage } from '../return/passage.ts';
import { Relay } from '../return/relay.ts';
import { send } from '../return/send.ts';
import { untouchedAnswer } from '../return/way-back.ts';
import { after, ENDED, type Stage } from '../way/run-stages.ts';

/** Forwards the request unchanged, including the credential for the server that authenticates its callers itself. */
export const forwardUntouched: Stage = (call, { passage, upstreams, config }) => {
  const { exchange, request, sent } = call;
  const server = call.access.server!;
  exchange.decision = 'allowed';
  exchange.reason = 'the server authenticates';
  exchange.method = sent.method;
  const asked = { server, admitted: undefined, screened: undefined, listener: undefined };
  const relay = new Relay(call.response, untouchedAnswer(exchange.id), new Passage(passage, call, asked));
  const untouched = {
    method: sent.method,
    headers: {
      ...untouchedHeaders(request.headers),
      ...forwardedHeaders(clientRouteOf(config.trustedProxies, request)),
    },
    body: sent.body ?? null,
    untouched: true,
  };
  return after(
    send(relay, () => upstreams.upstreamOf(server), untouched),
    () => ENDED,
  );
};
