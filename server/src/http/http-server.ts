import { createServer, type ServerResponse } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AuthorizationServer } from '../context/authorization-server.ts';
import type { Server } from '../context/context.ts';
import { Forbidden, NotFound } from '../errors.ts';
import { ConnectionLimits } from '../fairness/connections.ts';
import { boundUnreadBody } from '../fairness/receive-body.ts';
import { isServingUrl } from '../mcp/gateway/arrive/address.ts';
import type { Gateway } from '../mcp/gateway/gateway.ts';
import { cutBasePath } from '../network/base-path.ts';
import { PageGuard } from '../network/page-guard.ts';
import { ServersOrigin } from '../network/servers-origin.ts';
import { newTimeOrderedId } from '../values/id.ts';
import { inBackground } from '../watching/background.ts';
import { noteRequest } from '../watching/young-generation.ts';
import type { EventStreams } from './answer/event-streams.ts';
import { sendError, sendPlatformError } from './answer/send-error.ts';
import { SentAnswers } from './answer/sent-answers.ts';
import { serveDashboard } from './documents/dashboard.ts';
import { serveDocs, servePlatformDocs } from './documents/docs.ts';
import { serveHelp } from './documents/help.ts';
import { createNoRouteHandler } from './documents/no-route.ts';
import { serveUiSettings } from './documents/ui-settings.ts';
import { type HookReceiver, serveHooks } from './pipelines/hook-pipeline.ts';
import { isResourceMetadata, serveOAuth } from './pipelines/oauth-pipeline.ts';
import { servePages } from './pipelines/page-pipeline.ts';
import { answerUnknownRoutes, servePlatformApi } from './pipelines/platform-pipeline.ts';
import { serveSessionGateway } from './pipelines/session-gateway.ts';
import { serveApi } from './pipelines/workspace-pipeline.ts';
import { clientOf } from './request/client-info.ts';
import { spoilDoubledCredential } from './request/doubled-credential.ts';
import { routedAddress } from './request/hosted-address.ts';
import { keepContentType } from './request/read-body.ts';
import type { PageRoute } from './routes/page-route.ts';
import type { PlatformRoute } from './routes/platform-route.ts';
import type { Route } from './routes/route.ts';

/** Time for the whole header block, so that slow and silent clients do not occupy their connection. */
const HEADERS_TIMEOUT_MILLISECONDS = 9000;
/** Time between two checks of that timeout. */
const CHECK_MILLISECONDS = 500;
const KEEP_ALIVE_MILLISECONDS = 75_000;
/**
 * Bytes of an answer kept for a slow reader; beyond that its stream is paused. The system's buffers are not counted.
 */
const WAITING_BYTES = 16 * 1024;
/** Characters of one path segment, so that any name that fits into a request line is accepted. */
const MAX_PATH_SEGMENT = 16 * 1024;

/** Routes and pages served beside the API of a workspace. */
interface Surfaces<Hook extends { readonly workspace: number }> {
  readonly platformRoutes: readonly PlatformRoute[];
  readonly accountRoutes: readonly PlatformRoute[];
  readonly pages: readonly PageRoute[];
  /** Receives requests at the addresses of webhooks. */
  readonly hooks: HookReceiver<Hook>;
  /** Handles its requests itself, outside of the framework. */
  readonly gateway: Gateway;
  readonly authorization: AuthorizationServer;
  /** Live answers of the APIs. */
  readonly streams: EventStreams;
}

/** Builds the HTTP side: all routes under `prefix`, each with a declared permission. Throws when one has none. */
export function createHttpServer<Hook extends { readonly workspace: number }>(
  server: Server,
  prefix: string,
  routes: readonly Route[],
  { platformRoutes, accountRoutes, pages, hooks, gateway, authorization, streams }: Surfaces<Hook>,
): FastifyInstance {
  const connections = new ConnectionLimits(server.config, server.capacity);
  const serversOrigin = new ServersOrigin(server.config);
  const isProbe = (url: string) => url === `${prefix}/health` || url === `${prefix}/ready`;
  const app = fastify({
    exposeHeadRoutes: false,
    rewriteUrl: (request) => routedAddress(request),
    genReqId: () => newTimeOrderedId(),
    serverFactory: (handler) =>
      createServer(
        {
          keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
          // Bodies have a deadline of their own, which a large body on a slow line can meet.
          requestTimeout: 0,
          headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
          connectionsCheckingInterval: CHECK_MILLISECONDS,
          highWaterMark: WAITING_BYTES,
        },
        (request, response) => {
          boundUnreadBody(request, response);
          cutBasePath(server.config.basePath, request);
          const url = request.url ?? '';
          if (isResourceMetadata(url)) return handler(request, response);
          if (isServingUrl(url)) return gateway.handle(request, response);
          if (serversOrigin.refusesPlatform(request)) return answerServersOnly(response);
          const serve = () => handler(request, response);
          if (isProbe(url)) return serve();
          const client = clientOf(server.config, request);
          return server.requests.arrive(request, response, client, serve, url.startsWith(`${prefix}/v0/`));
        },
      ).on('connection', (socket) =>
        inBackground(
          'a new connection',
          () => connections.admit(socket),
          () => socket.destroy(),
        ),
      ),
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT },
    forceCloseConnections: 'idle',
    // A path that cannot be decoded does not exist.
    frameworkErrors: (_error, request, reply) => {
      sendError(server, new NotFound('Not Found'), undefined, request as FastifyRequest, reply as FastifyReply);
    },
  });
  // The pipeline reads the body after the credential is accepted, and decides whether it is JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  const pageGuard = new PageGuard(server.config);
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: Forbidden) =>
    request.url.startsWith(`${prefix}/v0/`)
      ? sendPlatformError(server, error, request, reply)
      : sendError(server, error, undefined, request, reply);
  app.addHook('onRequest', (request, reply, done) => {
    noteRequest();
    reply.header('x-request-id', request.id);
    // The framework refuses content types that it cannot parse; the reference reads such a body as text.
    keepContentType(request.raw);
    spoilDoubledCredential(request.raw);
    const refusal = pageGuard.refusalOf(request.raw);
    if (refusal === undefined) done();
    else refuse(request, reply, new Forbidden(refusal));
  });
  const answers = new SentAnswers(server.capacity);
  app.addHook('preClose', (done) => {
    streams.close();
    server.requests.close();
    done();
  });
  const answerPage = serveDashboard(app, server);
  const answerNoRoute = createNoRouteHandler(server, prefix, routes, answerPage);
  app.setErrorHandler((error, request, reply) =>
    // The framework requires a content type for methods that it expects to have a body; no route has such a method.
    (error as { code?: string }).code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
      ? answerNoRoute(request, reply)
      : sendError(server, error, undefined, request, reply),
  );
  app.setNotFoundHandler(answerNoRoute);
  serveApi(app, server, prefix, routes, streams, answers);
  servePlatformApi(app, server, prefix, accountRoutes, answers);
  servePlatformApi(app, server, `${prefix}/v0`, platformRoutes, answers);
  servePlatformDocs(app, server, `${prefix}/v0`, platformRoutes);
  serveSessionGateway(app, server, `${prefix}/v0`, gateway);
  answerUnknownRoutes(app, server, `${prefix}/v0`);
  serveDocs(app, server, prefix, routes);
  serveHelp(app);
  servePages(app, server, pages);
  serveHooks(app, server, hooks);
  serveOAuth(app, server, authorization);
  serveUiSettings(app, server, prefix);
  return app;
}

/** Answers requests for the platform on the origin of MCP servers. */
function answerServersOnly(response: ServerResponse): void {
  const body = JSON.stringify({ detail: 'Only MCP servers are served at this host name.' });
  response.writeHead(404, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}
