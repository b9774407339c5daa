import type { FastifyInstance } from 'fastify';
import type { Server } from '../../context/context.ts';
import { clientRouteOf, publicPathOf } from '../../network/client-route.ts';
import { allowOrigins } from '../request/cors.ts';

/**
 * The first request of the reference's interface, outside of the API: the address of the API and its sign-in. `api_url`
 * is the address that the browser used, while the reference returns a setting, so an interface behind a proxy works
 * without the setting. The server contains neither of the reference's two interfaces.
 */
export function serveUiSettings(app: FastifyInstance, { config }: Server, prefix: string): void {
  app.get('/ui-settings', (request, reply) => {
    allowOrigins(config, request, reply);
    const { scheme, host } = clientRouteOf(config.trustedProxies, request.raw);
    return reply.send({
      api_url: `${scheme}://${host ?? 'localhost'}${publicPathOf(config, request.raw)}${prefix}`,
      csrf_enabled: false,
      auth: config.apiAuth === 'basic' ? 'BASIC' : null,
      flags: [],
      default_ui: 'v2',
      available_uis: ['v1', 'v2'],
      v1_base_url: '/',
      v2_base_url: '/v2',
    });
  });
}
