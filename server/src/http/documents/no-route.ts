/** Answers a request that no route serves: another slash form, another method, or not found. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import { MethodNotAllowed, NotFound } from '../../errors.ts';
import { publicUrlOf } from '../../network/client-route.ts';
import { sendError } from '../answer/send-error.ts';
import { admitWithoutRoute } from '../pipelines/admit-request.ts';
import { allowOrigins, answerPreflight } from '../request/cors.ts';
import type { Route } from '../routes/route.ts';
import type { AnswerPage } from './dashboard.ts';

interface KnownPath {
  readonly pattern: RegExp;
  readonly method: string;
}

/**
 * Answers like the reference: 405 with `Allow` on a known path, 307 to the other trailing-slash form if that is known,
 * else 404. If a credential is required, 401 comes before all of them.
 */
export function createNoRouteHandler(server: Server, prefix: string, routes: readonly Route[], answerPage: AnswerPage) {
  const known: KnownPath[] = routes.map((route) => ({
    pattern: patternOf(prefix + route.path, route.parameters ?? {}),
    method: route.method,
  }));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    allowOrigins(server.config, request, reply);
    if (answerPreflight(request, reply)) return reply;
    const [path = '', query] = request.url.split('?', 2);
    // An encoded slash separates segments like any other.
    const plain = path.replaceAll(/%2f/gi, '/');
    if (isNavigation(request) && !plain.startsWith(`${prefix}/`)) return answerPage(request, reply);
    try {
      if (plain.startsWith(`${prefix}/`)) {
        await admitWithoutRoute(server, request.raw);
      }
      // No name contains a NUL, so no path with one is known.
      if (plain.includes('%00')) throw new NotFound('Not Found');
      const match = known.find(({ pattern, method }) => method !== request.method && pattern.test(plain));
      if (match) {
        reply.header('allow', match.method);
        throw new MethodNotAllowed('Method Not Allowed');
      }
      const other = plain.endsWith('/') ? plain.slice(0, -1) : `${plain}/`;
      if (known.some((candidate) => candidate.pattern.test(other))) {
        const target = publicUrlOf(server.config, request.raw) + other + (query === undefined ? '' : `?${query}`);
        return reply.code(307).header('location', target).send();
      }
      throw new NotFound('Not Found');
    } catch (error) {
      return sendError(server, error, undefined, request, reply);
    }
  };
}

/**
 * True when a browser opens an address: addresses outside of the API belong to the dashboard, which reports an unknown
 * page.
 */
function isNavigation({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
}

function patternOf(path: string, parameters: NonNullable<Route['parameters']>): RegExp {
  const source = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    (parameters[name] ?? 'uuid') === 'uuid' ? '[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}' : '[^/]+',
  );
  return new RegExp(`^${source}$`);
}
