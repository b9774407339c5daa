/**
 * Lets a person who has signed in send a message to an MCP server from the dashboard, with the session instead of a
 * key. The gateway decides and records it as for a key.
 */
import type { FastifyInstance } from 'fastify';
import type { Server } from '../../context/context.ts';
import { Unauthorized } from '../../errors.ts';
import { identifySession } from '../../identity/callers/identify-caller.ts';
import type { Gateway } from '../../mcp/gateway/gateway.ts';

import { publicUrlOf } from '../../network/client-route.ts';
import { sendPlatformError } from '../answer/send-error.ts';
import { contentTypeOf } from '../request/read-body.ts';
import { checkCrossSite, sessionCookie } from '../session/session-cookie.ts';

interface Address {
  readonly organization: string;
  readonly server: string;
}

/** `POST {prefix}/organizations/{slug}/servers/{slug}/mcp`. */
export function serveSessionGateway(app: FastifyInstance, server: Server, prefix: string, gateway: Gateway): void {
  app.route({
    method: 'POST',
    url: `${prefix}/organizations/:organization/servers/:server/mcp`,
    handler: async (request, reply) => {
      try {
        const cookie = sessionCookie(request.headers);
        const db = server.store.platform.reads();
        const caller = cookie === undefined ? undefined : await identifySession(db, cookie, server.clock.now());
        if (cookie === undefined || !caller?.session) throw new Unauthorized('Sign in to use a server from here.');
        checkCrossSite(request, caller.session.csrfToken, publicUrlOf(server.config, request.raw));
        // The gateway reads the original headers.
        const contentType = contentTypeOf(request.raw);
        if (contentType !== undefined) request.raw.headers['content-type'] = contentType;
        reply.hijack();
        gateway.handleSession(request.raw, reply.raw, request.params as Address, cookie);
        return reply;
      } catch (error) {
        return sendPlatformError(server, error, request, reply);
      }
    },
  });
}
