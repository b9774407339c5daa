import type { FastifyInstance } from 'fastify';
import type { Server } from '../context.ts';
import { NotFound } from '../errors.ts';
import { compilePlatformRoute, sendPlatformError, servePlatform } from './platform-pipeline.ts';
import type { PlatformRoute } from './platform-route.ts';
import { urlOf } from './route-url.ts';

/** Serves the platform API under `prefix`. Throws when a route declares no access. */
export function servePlatformApi(
  app: FastifyInstance,
  server: Server,
  prefix: string,
  routes: readonly PlatformRoute[],
): void {
  for (const route of routes) {
    if (!route.access) throw new Error(`${route.method} ${route.path} declares no access.`);
    const compiled = compilePlatformRoute(route);
    app.route({
      method: route.method,
      url: prefix + urlOf(route),
      handler: (request, reply) => server.requests.during(() => servePlatform(server, compiled, request, reply)),
    });
  }
}

/** Answers paths that the platform does not serve in its own error format. */
export function answerUnknownRoutes(app: FastifyInstance, server: Server, prefix: string): void {
  app.all(`${prefix}/*`, (request, reply) => sendPlatformError(server, new NotFound('No such route.'), request, reply));
}
