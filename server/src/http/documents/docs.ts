/**
 * The OpenAPI document, and a page to read and try the API with. The server itself serves everything the page loads, so
 * the page works on a machine without internet access; its content policy lets it load nothing else.
 *
 * As in the reference, the copies below the API's prefix ask for the API's credential and those at the root do not.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { Server } from '../../context/context.ts';
import { publicPathOf } from '../../network/client-route.ts';
import { pageHeaders } from '../answer/page-headers.ts';
import { sendError } from '../answer/send-error.ts';
import { admitWithoutRoute } from '../pipelines/admit-request.ts';
import { allowOrigins } from '../request/cors.ts';
import { apiPathOf, targetOf } from '../request/hosted-address.ts';
import type { PlatformRoute } from '../routes/platform-route.ts';
import type { Route } from '../routes/route.ts';
import { platformDocument, workspaceDocument } from './api-documents.ts';
import type { JsonSchema } from './openapi.ts';
import { ASK_FIRST, KEEP_FOREVER, StaticFile } from './static-file.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Starts the page. `validatorUrl` is off because its default sends the document's address to a third party. If the page
 * has an address of the session, changes carry its CSRF token, which is read each time, because the session can change.
 */
const START_SCRIPT = `'use strict';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
const { document: address, session } = document.querySelector('#swagger-ui').dataset;
const isRead = ({ method = 'GET' }) => ['GET', 'HEAD'].includes(method.toUpperCase());
const hasKey = ({ headers = {} }) => Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
const withToken = async (request) => {
  if (session === undefined || request.loadSpec || isRead(request) || hasKey(request)) return request;
  const answer = await fetch(session);
  if (!answer.ok) return request;
  const { csrfToken } = await answer.json();
  return { ...request, headers: { ...request.headers, 'x-csrf-token': csrfToken } };
};
window.ui = SwaggerUIBundle({
  url: address,
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
  requestInterceptor: withToken,
});
`;

/** Serves the document and the page, at the root and below `prefix`. */
export function serveDocs(app: FastifyInstance, server: Server, prefix: string, routes: readonly Route[]): void {
  const document = servedBelow(server.config, prefix, () => workspaceDocument(routes, schemeOf(server.config)));
  const ofWorkspaces = once(() => workspaceDocument(routes, 'bearer'));
  const atRoot = once(() => pageOf('openapi.json', 'docs/'));
  const belowPrefix = once(() => pageOf('openapi.json', '../docs/'));

  serveFile(app, server, '/openapi.json', document);
  serveFile(app, server, '/docs', atRoot);
  for (const [name, asset] of Object.entries(assets)) serveFile(app, server, `/docs/${name}`, asset);
  const guard = guardOf(server);
  const belowAddress = (request: FastifyRequest) =>
    targetOf(request.raw).kind === 'default'
      ? document(request)
      : documentFile(ofWorkspaces(), publicPathOf(server.config, request.raw) + apiPathOf(request.raw));
  serveFile(app, server, `${prefix}/openapi.json`, belowAddress, guard);
  serveFile(app, server, `${prefix}/docs`, belowPrefix, guard);
  for (const path of ['/docs', `${prefix}/docs`]) {
    app.get(`${path}/`, (_request, reply) => reply.code(307).header('location', '../docs').send());
  }
}

/** The document of the platform API and its page, below `prefix`. They show nothing that needs a credential. */
export function servePlatformDocs(
  app: FastifyInstance,
  server: Server,
  prefix: string,
  routes: readonly PlatformRoute[],
): void {
  const document = servedBelow(server.config, prefix, () => platformDocument(routes));
  const page = once(() => pageOf('openapi.json', '../../docs/', 'session'));
  serveFile(app, server, `${prefix}/openapi.json`, document);
  serveFile(app, server, `${prefix}/docs`, page);
}

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Refuses a request that lacks the credential of the API. */
function guardOf(server: Server): Guard {
  return async (request, reply) => {
    try {
      await admitWithoutRoute(server, request.raw);
      return undefined;
    } catch (error) {
      return sendError(server, error, undefined, request, reply);
    }
  };
}

const noGuard: Guard = () => Promise.resolve(undefined);

function serveFile(
  app: FastifyInstance,
  server: Server,
  url: string,
  file: (request: FastifyRequest) => StaticFile,
  guard: Guard = noGuard,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      allowOrigins(server.config, request, reply);
      return (await guard(request, reply)) ?? file(request).send(request, reply);
    },
  });
}

function schemeOf({ apiAuth }: Config): 'basic' | 'bearer' | undefined {
  return ({ open: undefined, basic: 'basic', key: 'bearer' } as const)[apiAuth];
}

function documentFile(document: JsonSchema, url: string): StaticFile {
  return new StaticFile(JSON.stringify({ ...document, servers: [{ url }] }), 'application/json', ASK_FIRST);
}

/** The document as a file. It names the path below which its reader reaches the API, which a proxy may lengthen. */
function servedBelow(
  config: Config,
  prefix: string,
  describe: () => JsonSchema,
): (request: FastifyRequest) => StaticFile {
  const document = once(describe);
  const atRoot = once(() => documentFile(document(), prefix));
  return ({ raw }) => {
    const path = publicPathOf(config, raw);
    return path === '' ? atRoot() : documentFile(document(), path + prefix);
  };
}

/** The files that the page loads, by name. Read once per process, on the first request. */
const assets = {
  'swagger-ui.css': packaged('swagger-ui.css', 'text/css; charset=utf-8'),
  'swagger-ui-bundle.js': packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  'favicon-32x32.png': packaged('favicon-32x32.png', 'image/png'),
  'start.js': once(() => new StaticFile(START_SCRIPT, 'text/javascript; charset=utf-8', KEEP_FOREVER)),
};

function packaged(name: string, contentType: string): () => StaticFile {
  return once(() => {
    const file = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
    return new StaticFile(readFileSync(file), contentType, KEEP_FOREVER);
  });
}

/** Addresses are relative, so that the page works below any path of a proxy. */
function pageOf(documentUrl: string, assetFolder: string, sessionUrl?: string): StaticFile {
  const url = (name: keyof typeof assets) => `${assetFolder}${name}?v=${assets[name]().digest}`;
  const session = sessionUrl === undefined ? '' : ` data-session="${sessionUrl}"`;
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Signalbox API</title>
    <link rel="icon" type="image/png" href="${url('favicon-32x32.png')}">
    <link rel="stylesheet" href="${url('swagger-ui.css')}">
  </head>
  <body>
    <main id="swagger-ui" data-document="${documentUrl}"${session}></main>
    <noscript>This page needs JavaScript. The document it shows is <a href="${documentUrl}">${documentUrl}</a>.</noscript>
    <script src="${url('swagger-ui-bundle.js')}"></script>
    <script src="${url('start.js')}"></script>
  </body>
</html>
`;
  return new StaticFile(html, 'text/html; charset=utf-8', ASK_FIRST, pageHeaders(CONTENT_SECURITY_POLICY));
}

/** Made on the first request, so that the start of the server does not wait for it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
