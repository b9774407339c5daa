import { createServer } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Server } from '../context.ts';
import { NotFound, PayloadTooLarge } from '../errors.ts';
import { isServingUrl } from '../gateway/address.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { newTimeOrderedId } from '../id.ts';
import { noteRequest } from '../young-generation.ts';
import { serveDashboard } from './dashboard.ts';
import { serveDocs, servePlatformDocs } from './docs.ts';
import { spoilDoubledCredential } from './doubled-credential.ts';
import { routedAddress } from './hosted-address.ts';
import { createNoRouteHandler } from './no-route.ts';
import { servePages } from './page-pipeline.ts';
import type { PageRoute } from './page-route.ts';
import { compileRoute, sendError, serve } from './pipeline.ts';
import { answerUnknownRoutes, servePlatformApi } from './platform-api.ts';
import type { PlatformRoute } from './platform-route.ts';
import { keepContentType } from './read-body.ts';
import type { Route } from './route.ts';
import { urlOf } from './route-url.ts';
import { serveUiSettings } from './ui-settings.ts';

/** Header block and body must arrive within these, so that dribbling clients free their connection. */
const HEADERS_TIMEOUT_MILLISECONDS = 10_000;
const REQUEST_TIMEOUT_MILLISECONDS = 60_000;
const KEEP_ALIVE_MILLISECONDS = 75_000;
/** Of an answer, when its reader is slow: who streams is told to wait, and the system keeps what it takes beside that. */
const WAITING_BYTES = 16 * 1024;
/** Names may be longer than a request line: what fits into that is read. */
const MAX_PATH_SEGMENT = 16 * 1024;

/**
 * Body of a request that asks and brings nothing: room for filters with several lists of the most values. Reading a body
 * holds the event loop up for 12 to 40 ms a megabyte.
 */
const MAX_QUESTION_BYTES = 1024 * 1024;

/** What is served beside the API of a workspace. */
export interface Surfaces {
  readonly platformRoutes: readonly PlatformRoute[];
  readonly accountRoutes: readonly PlatformRoute[];
  readonly pages: readonly PageRoute[];
  /** Has its own way for requests, so they do not pass the framework. */
  readonly gateway: Gateway;
}

/** Builds the HTTP side: every route under `prefix`, each with a declared permission. Throws when one has none. */
export function createHttpServer(
  server: Server,
  prefix: string,
  routes: readonly Route[],
  { platformRoutes, accountRoutes, pages, gateway }: Surfaces,
): FastifyInstance {
  const app = fastify({
    bodyLimit: server.config.maxBodyBytes,
    exposeHeadRoutes: false,
    rewriteUrl: (request) => routedAddress(request),
    genReqId: () => newTimeOrderedId(),
    serverFactory: (handler) =>
      createServer(
        {
          keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
          requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
          headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
          highWaterMark: WAITING_BYTES,
        },
        (request, response) =>
          isServingUrl(request.url ?? '') ? gateway.handle(request, response) : handler(request, response),
      ),
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT },
    forceCloseConnections: 'idle',
    // A path that cannot be decoded names nothing.
    frameworkErrors: (_error, request, reply) => {
      sendError(server, new NotFound('Not Found'), undefined, request as FastifyRequest, reply as FastifyReply);
    },
  });
  // One parser for every content type: the pipeline decides what is JSON, so that nothing is lost on the way.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    noteRequest();
    reply.header('x-request-id', request.id);
    // The framework refuses content types that it cannot parse; the reference reads such a body as text.
    keepContentType(request.raw);
    spoilDoubledCredential(request.raw);
    done();
  });
  const answerNoRoute = createNoRouteHandler(server, prefix, routes);
  app.setErrorHandler((error, request, reply) =>
    // The framework asks for the content type of a method whose requests it expects to have a body; no route has it.
    (error as { code?: string }).code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
      ? answerNoRoute(request, reply)
      : sendError(server, translate(error), undefined, request, reply),
  );
  app.setNotFoundHandler(answerNoRoute);
  for (const route of routes) {
    if (!route.permission) throw new Error(`${route.method} ${route.path} declares no permission.`);
    const compiled = compileRoute(route);
    const { maxBodyBytes } = server.config;
    app.route({
      bodyLimit: brings(route) ? maxBodyBytes : Math.min(maxBodyBytes, MAX_QUESTION_BYTES),
      method: route.method,
      url: prefix + urlOf(route),
      handler: (request, reply) => serve(server, compiled, request, reply),
    });
  }
  servePlatformApi(app, server, prefix, accountRoutes);
  servePlatformApi(app, server, `${prefix}/v0`, platformRoutes);
  servePlatformDocs(app, `${prefix}/v0`, platformRoutes);
  answerUnknownRoutes(app, server, `${prefix}/v0`);
  serveDocs(app, server, prefix, routes);
  servePages(app, server, pages);
  serveDashboard(app);
  serveUiSettings(app, server, prefix);
  return app;
}

/** Whether a request may bring data that is to be kept. */
function brings({ permission }: Route): boolean {
  return !permission.endsWith(':read');
}

/** Errors of the framework, before a route is reached, in our own kinds. */
function translate(error: unknown): unknown {
  if ((error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new PayloadTooLarge('The request body is larger than this server accepts.');
  }
  return error;
}
