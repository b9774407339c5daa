/**
 * Every request for a page passes, in this order: the check of a form's origin, the session, the CSRF token of a form
 * that acts for a session, the handler, the page. Keys open no page. Pages are never framed, never cached and load
 * nothing; their addresses may hold tokens, so the referrer policy hides them from other sites.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../context.ts';
import { ApiError, Forbidden } from '../errors.ts';
import { identifySession } from '../identity/identify-caller.ts';
import { noteSeen } from '../identity/session-seen.ts';
import { clientRouteOf } from '../network/client-route.ts';
import { digestOf, framed, styleDigest } from '../pages/frame.ts';
import { html } from '../pages/html.ts';
import { signInAddress } from '../pages/next.ts';
import { createPlatformContext, type PlatformContext } from '../platform-context.ts';
import { addressesOf } from './client-info.ts';
import type { PageAnswer, PageInput, PageRoute } from './page-route.ts';
import { readForm } from './read-form.ts';
import { ANONYMOUS_BODY_BYTES, receiveBytes } from './receive-bytes.ts';
import { urlOf } from './route-url.ts';
import { checkCsrfToken, checkFormSite, deviceCookie, sessionCookie } from './session-cookie.ts';

export function servePages(app: FastifyInstance, server: Server, pages: readonly PageRoute[]): void {
  for (const page of pages) {
    const names = [...page.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'text'] as const);
    app.route({
      method: page.method === 'GET' ? ['GET', 'HEAD'] : page.method,
      url: urlOf({ path: page.path, parameters: Object.fromEntries(names) }),
      handler: (request, reply) => server.requests.during(() => servePage(server, page, request, reply)),
    });
  }
}

async function servePage(server: Server, page: PageRoute, request: FastifyRequest, reply: FastifyReply) {
  let input: PageInput | undefined;
  const { prefix } = clientRouteOf(server.config.trustedProxies, request.raw);
  try {
    const context = await contextOf(server, page, request);
    input = inputOf(context, request, await receiveBytes(server, request, reply, ANONYMOUS_BODY_BYTES, undefined));
    const answer = await admitted(page, input, request);
    return send(answer ?? (await page.handler(input)), reply, prefix);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) {
      // The address is left out: it may hold a token.
      server.logger.error({ err: error, request_id: request.id, method: request.method }, 'page failed');
    }
    if (error instanceof ApiError && input && page.refused && !(error instanceof NotThisForm)) {
      return send(withHeaders(await page.refused(input, error), error.headers), reply, prefix);
    }
    return send(errorPage(error, request), reply, prefix);
  }
}

/** A form that was not made by the page it claims to come from. */
class NotThisForm extends Forbidden {}

async function contextOf(server: Server, page: PageRoute, request: FastifyRequest): Promise<PlatformContext> {
  const addresses = addressesOf(server.config, request.raw);
  const context = createPlatformContext(server, undefined, ...addresses, deviceCookie(request.headers));
  const cookie = sessionCookie(request.headers);
  if (cookie === undefined || (page.access === 'public' && page.method === 'POST')) return context;
  const caller = await identifySession(context.db, cookie, context.now);
  await noteSeen(server, caller?.session, context.now);
  return { ...context, caller: caller?.state === 'active' ? caller : undefined };
}

function inputOf(context: PlatformContext, request: FastifyRequest, body: Buffer | undefined): PageInput {
  const { pathname, search, searchParams } = new URL(request.url, 'http://localhost');
  return {
    context,
    path: request.params as Record<string, string>,
    query: Object.fromEntries(searchParams),
    form: readForm(body),
    headers: request.headers,
    address: pathname + search,
  };
}

/** The way to the sign-in where a session is missing; undefined when the handler may begin. */
async function admitted(page: PageRoute, input: PageInput, request: FastifyRequest): Promise<PageAnswer | undefined> {
  const { caller } = input.context;
  try {
    if (page.method === 'POST') checkFormSite(request, input.context.origin);
    if (page.method === 'POST' && caller?.session) checkCsrfToken(input.form['csrf_token'], caller.session.csrfToken);
  } catch {
    throw new NotThisForm('This form did not come from its page. Open the page again and retry.');
  }
  if (page.access !== 'session' || caller) return undefined;
  return { location: signInAddress(input.address) };
}

function withHeaders(answer: PageAnswer, headers: Readonly<Record<string, string>>): PageAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function errorPage(error: unknown, request: FastifyRequest): PageAnswer {
  if (error instanceof ApiError && error.status < 500) {
    return {
      status: error.status,
      title: 'That did not work',
      content: html`<h1>That did not work</h1><p>${error.message}</p><p><a href="/">To the start page</a></p>`,
      headers: error.headers,
    };
  }
  return {
    status: error instanceof ApiError ? error.status : 500,
    title: 'Something went wrong',
    content: html`<h1>Something went wrong</h1>
      <p>The server could not answer. Its log has the reason, under this id:</p>
      <p><code>${request.id}</code></p>`,
  };
}

/** `prefix` is the path below which a proxy serves this server: the pages' own addresses begin with it. */
function send(answer: PageAnswer, reply: FastifyReply, prefix: string): FastifyReply {
  reply.headers({
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  });
  for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value as string | string[]);
  // 303: the browser does not post the form again.
  if ('location' in answer) {
    const location = answer.location.startsWith('/') ? prefix + answer.location : answer.location;
    return reply.code(303).header('location', location).send();
  }
  const page = framed({ ...answer, script: answer.script?.text });
  return reply
    .code(answer.status)
    .header('content-security-policy', contentSecurityPolicy(answer.script))
    .type('text/html; charset=utf-8')
    .send(prefix === '' ? page : page.replaceAll(/ (href|action)="\//g, ` $1="${prefix}/`));
}

function contentSecurityPolicy(script: { readonly text: string; readonly mayCall: string } | undefined): string {
  return [
    "default-src 'none'",
    `style-src ${styleDigest}`,
    'img-src data:',
    ...(script ? [`script-src ${digestOf(script.text)}`, `connect-src 'self' ${script.mayCall}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
