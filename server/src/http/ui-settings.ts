import type { FastifyInstance } from 'fastify';
import type { Server } from '../context.ts';
import { allowOrigins } from './cors.ts';

/**
 * What the reference's interface asks for first, outside of the API: where the API is and how to be let in. `api_url` is
 * the address that the browser used, where the reference answers a setting, so an interface served by a proxy in front
 * works without one. The server itself brings none of the two interfaces along.
 */
export function serveUiSettings(app: FastifyInstance, { config }: Server, prefix: string): void {
  app.get('/ui-settings', (request, reply) => {
    allowOrigins(request, reply);
    const protocol = forwarded(request.headers['x-forwarded-proto']) ?? request.protocol;
    const host = forwarded(request.headers['x-forwarded-host']) ?? request.host;
    return reply.send({
      api_url: `${protocol}://${host}${prefix}`,
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

/** What the proxy nearest to the browser wrote. */
function forwarded(header: string | string[] | undefined): string | undefined {
  const [first] = (Array.isArray(header) ? header.join() : (header ?? '')).split(',');
  return first?.trim() || undefined;
}
