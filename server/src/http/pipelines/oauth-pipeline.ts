/**
 * The routes of OAuth: the metadata by which MCP clients find out where to sign in, and the endpoints of the
 * authorization server. They accept neither sessions nor keys, so pages of any origin may call the routes for programs.
 */
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import type { AuthorizationServer } from '../../context/authorization-server.ts';
import type { Server } from '../../context/context.ts';
import { NotFound } from '../../errors.ts';
import { MCP_SCOPES } from '../../identity/callers/oauth-scopes.ts';
import { type ServerAddress, servingPath } from '../../mcp/gateway/arrive/address.ts';
import {
  CALLBACK_PATH,
  CLIENT_DOCUMENT_PATH,
  clientDocumentUrl,
  describedClient,
} from '../../network/client-document.ts';
import { publicPathOf, publicUrlOf } from '../../network/client-route.ts';
import { type OAuthPlace, oauthPlaceAt, RESOURCE_METADATA_PATH } from '../../network/oauth-place.ts';
import { pageHeaders } from '../answer/page-headers.ts';
import { sendOAuthError } from '../answer/send-error.ts';
import { renderPage } from '../answer/send-page.ts';
import { addressOf } from '../request/client-info.ts';
import { contentTypeOf } from '../request/read-body.ts';
import { ANONYMOUS_BODY_BYTES } from '../request/receive-bytes.ts';
import { type Arrival, type Stages, serveInStages } from './stages.ts';

/** The content policy of a page that shows text. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Endpoint {
  readonly name: string;
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  /** True for routes that programs call, including scripts of other origins' pages. */
  readonly isForPrograms: boolean;
}

const ENDPOINTS: readonly Endpoint[] = [
  { name: 'authorization', method: 'GET', url: '/oauth/authorize', isForPrograms: false },
  { name: 'end of an authorization', method: 'GET', url: '/oauth/authorize/:uid', isForPrograms: false },
  { name: 'token', method: 'POST', url: '/oauth/token', isForPrograms: true },
  { name: 'registration of a client', method: 'POST', url: '/oauth/register', isForPrograms: true },
  { name: 'revocation', method: 'POST', url: '/oauth/revoke', isForPrograms: true },
];

const ISSUER_METADATA_PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

const SERVER_PATH = servingPath(':organization', ':server');
/** Source: RFC 9728, section 3.1; some clients append the well-known part to the address of the server. */
const RESOURCE_METADATA_ROUTES = [RESOURCE_METADATA_PATH + SERVER_PATH, SERVER_PATH + RESOURCE_METADATA_PATH];
const RESOURCE_METADATA = new RegExp(
  `^(${RESOURCE_METADATA_PATH}/|/servers/[^/]+/[^/]+/mcp${RESOURCE_METADATA_PATH}$)`,
);

/** True for the metadata of MCP servers, which is also served on their own origin. */
export function isResourceMetadata(url: string): boolean {
  return RESOURCE_METADATA.test(url);
}

export function serveOAuth(app: FastifyInstance, server: Server, authorization: AuthorizationServer): void {
  const stages = protocolStages(server, authorization);
  for (const endpoint of ENDPOINTS) {
    serveInStages(app, server, stages, { method: endpoint.method, url: endpoint.url, route: endpoint });
    if (endpoint.isForPrograms) servePreflight(app, endpoint.url);
  }
  for (const url of ISSUER_METADATA_PATHS) {
    serveMetadata(app, server, url, async ({ issuer }) => issuerMetadata(issuer));
  }
  for (const url of RESOURCE_METADATA_ROUTES) {
    serveMetadata(app, server, url, async ({ servers, issuer }, request) => {
      const { organization = '', server: slug = '' } = request.params as Partial<ServerAddress>;
      if ((organization + slug).includes('\0')) throw new NotFound('Not Found');
      if (await authorization.mayServe(organization, slug)) {
        return resourceMetadata(issuer, servers + servingPath(organization, slug));
      }
      throw new NotFound('Clients of this server need an API key.');
    });
  }
  serveDocument(app, server, CLIENT_DOCUMENT_PATH, async (request) => {
    const origin = publicUrlOf(server.config, request.raw);
    const client_id = clientDocumentUrl(server.config, origin);
    if (client_id === undefined) throw new NotFound('This server has no https address in SIGNALBOX_PUBLIC_URL.');
    return { client_id, ...describedClient(origin + CALLBACK_PATH), token_endpoint_auth_method: 'none' };
  });
}

function protocolStages(
  server: Server,
  authorization: AuthorizationServer,
): Stages<Endpoint, OAuthPlace, Buffer | undefined, void> {
  const { config } = server;
  return {
    begin: () => {},
    admit: async ({ request }) => placeOf(server, request),
    roomOf: () => ({ maxBytes: ANONYMOUS_BODY_BYTES, shares: [] }),
    read: ({ bytes }) => bytes,
    handle: ({ route, request, reply }, place, body) => {
      // These answers depend on no cookie.
      if (route.isForPrograms) reply.raw.setHeader('access-control-allow-origin', '*');
      // The library redirects the browser with a page of its own.
      else for (const [name, value] of Object.entries(pageHeaders(NOTHING))) reply.raw.setHeader(name, value);
      reply.raw.setHeader('x-request-id', request.id);
      const { raw } = request;
      return authorization.answer(
        {
          place,
          request: raw,
          contentType: contentTypeOf(raw),
          body,
          address: addressOf(config, raw),
          render: (title, content) => renderPage({ title, content }, publicPathOf(config, raw)),
        },
        reply.raw,
      );
    },
    answer: ({ reply }) => reply.hijack(),
    fail: ({ request, reply }: Arrival<Endpoint>, error) => sendOAuthError(server, error, request, reply),
  };
}

function placeOf({ config }: Server, request: FastifyRequest): OAuthPlace {
  const place = oauthPlaceAt(config, publicUrlOf(config, request.raw));
  if (place) return place;
  throw new NotFound('MCP clients cannot sign in with the browser at this address. Use an API key.');
}

type MetadataOf = (place: OAuthPlace, request: FastifyRequest) => Promise<object>;

function serveMetadata(app: FastifyInstance, server: Server, url: string, metadataOf: MetadataOf): void {
  serveDocument(app, server, url, async (request) => metadataOf(placeOf(server, request), request));
}

type DocumentOf = (request: FastifyRequest) => Promise<object>;

function serveDocument(app: FastifyInstance, server: Server, url: string, documentOf: DocumentOf): void {
  app.get(url, async (request, reply) => {
    reply.header('access-control-allow-origin', '*');
    try {
      const body = Buffer.from(JSON.stringify(await documentOf(request)));
      return reply.headers({ 'content-type': 'application/json', 'cache-control': 'no-store' }).send(body);
    } catch (error) {
      return sendOAuthError(server, error, request, reply);
    }
  });
  servePreflight(app, url);
}

function servePreflight(app: FastifyInstance, url: string): void {
  app.options(url, (request, reply) => {
    return reply
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
        'access-control-max-age': '600',
      })
      .code(204)
      .send();
  });
}

/** Source: RFC 8414, section 2, and the draft of client id metadata documents. */
function issuerMetadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: MCP_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA'],
    revocation_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** Source: RFC 9728, section 2. */
function resourceMetadata(issuer: string, resource: string): object {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: MCP_SCOPES,
    bearer_methods_supported: ['header'],
  };
}
