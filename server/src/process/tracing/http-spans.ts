/** Makes a span for each request of the APIs and pages. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginSpan, type Span } from '../../watching/spans.ts';

const SERVER_ERROR = 500;

export function spanRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const attributes = { 'http.request.method': request.method, 'signalbox.request_id': request.id };
    const span = beginSpan({ name: request.method, kind: 'server', attributes, caller: request.headers });
    if (!span) return done();
    spans.set(request, span);
    span.within(done);
  });
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const { name } = (request.routeOptions.config ?? {}) as { name?: string };
    spans.get(request)?.end({
      name,
      attributes: { 'http.response.status_code': statusCode, ...(name === undefined ? {} : { 'http.route': name }) },
      failure: statusCode >= SERVER_ERROR ? String(statusCode) : undefined,
    });
    done();
  });
}
