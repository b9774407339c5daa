/**
 * The stages of every request for a page: the session, the body, the check of a form's origin, the CSRF token of a form
 * that acts for a session, the handler, the page. A key gives access to no page.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../context/context.ts';
import type { PlatformContext } from '../../context/platform-context.ts';
import { ApiError, Forbidden } from '../../errors.ts';
import { publicPathOf } from '../../network/client-route.ts';
import { html } from '../../pages/html.ts';
import { signInAddress } from '../../pages/next.ts';
import { NAVIGATION_HEADERS } from '../answer/page-headers.ts';
import { logFailure } from '../answer/send-error.ts';
import { renderPage } from '../answer/send-page.ts';
import { contextWithoutCaller, withPerson } from '../request/platform-caller.ts';
import { readForm } from '../request/read-body.ts';
import { ANONYMOUS_BODY_BYTES } from '../request/receive-bytes.ts';
import type { PageAnswer, PageInput, PageRoute } from '../routes/page-route.ts';
import { urlOf } from '../routes/route-url.ts';
import { checkCsrfToken, checkFormSite } from '../session/session-cookie.ts';
import { type Arrival, type Stages, serveInStages } from './stages.ts';

type Page = PageRoute & { readonly name: string };
type PageArrival = Arrival<Page>;
type Form = PageInput['form'];

export function servePages(app: FastifyInstance, server: Server, pages: readonly PageRoute[]): void {
  const stages = pageStages(server);
  for (const page of pages) {
    const names = [...page.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'text'] as const);
    serveInStages(app, server, stages, {
      method: page.method === 'GET' ? ['GET', 'HEAD'] : page.method,
      url: urlOf({ path: page.path, parameters: Object.fromEntries(names) }),
      route: { ...page, name: `${page.method} ${page.path}` },
    });
  }
}

function pageStages(server: Server): Stages<Page, PlatformContext, Form, PageAnswer> {
  const sendPage = (answer: PageAnswer, { request, reply }: PageArrival) =>
    send(answer, reply, publicPathOf(server.config, request.raw));
  return {
    begin: () => {},
    admit: ({ route, request }) => contextOf(server, route, request),
    roomOf: (_arrival, { caller }) => ({
      maxBytes: ANONYMOUS_BODY_BYTES,
      shares: caller ? [`actor ${caller.actor.id}`] : [],
    }),
    read: ({ bytes }) => readForm(bytes),
    handle: ({ route, request }, context, form) => {
      checkForm(route, context, form, request);
      const input = inputOf(context, request, form);
      if (route.access === 'session' && !context.caller) return { location: signInAddress(input.address) };
      return pageOf(server, route, input, request);
    },
    answer: (arrival, _context, answer) => sendPage(answer, arrival),
    fail: (arrival, error) => {
      logFailure(server, error, arrival.request);
      return sendPage(errorPage(error, arrival.request), arrival);
    },
  };
}

/** A public form never acts for a session. */
async function contextOf(server: Server, page: PageRoute, request: FastifyRequest): Promise<PlatformContext> {
  const context = contextWithoutCaller(server, request);
  if (page.access === 'public' && page.method === 'POST') return context;
  const { caller } = await withPerson(context, request);
  return { ...context, caller: caller?.state === 'active' ? caller : undefined };
}

/** Throws Forbidden for a form that was not sent by the page from which it claims to come. */
function checkForm(page: PageRoute, { caller, origin }: PlatformContext, form: Form, request: FastifyRequest): void {
  if (page.method !== 'POST') return;
  try {
    checkFormSite(request, origin);
    if (caller?.session) checkCsrfToken(form['csrf_token'], caller.session.csrfToken);
  } catch {
    throw new Forbidden('This form did not come from its page. Reload the page and try again.');
  }
}

function inputOf(context: PlatformContext, request: FastifyRequest, form: Form): PageInput {
  const { pathname, search, searchParams } = new URL(request.url, 'http://localhost');
  return {
    context,
    path: request.params as Record<string, string>,
    query: Object.fromEntries(searchParams),
    form,
    headers: request.headers,
    address: pathname + search,
  };
}

/** The page, or the page's own answer to an error that the person can correct. */
async function pageOf(server: Server, page: PageRoute, input: PageInput, request: FastifyRequest): Promise<PageAnswer> {
  try {
    return await page.handler(input);
  } catch (error) {
    if (!(error instanceof ApiError) || !page.refused) throw error;
    logFailure(server, error, request);
    return withHeaders(await page.refused(input, error), error.headers);
  }
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

/** `prefix` is the path below which a proxy serves this server. */
function send(answer: PageAnswer, reply: FastifyReply, prefix: string): FastifyReply {
  reply.headers({ ...NAVIGATION_HEADERS, 'cache-control': 'no-store' });
  // After a 303 the browser does not post the form again.
  if ('location' in answer) {
    addHeaders(reply, answer);
    const location = answer.location.startsWith('/') ? prefix + answer.location : answer.location;
    return reply.code(303).header('location', location).send();
  }
  const { headers, text } = renderPage(answer, prefix);
  addHeaders(reply.code(answer.status).headers(headers), answer);
  return reply.send(text);
}

function addHeaders(reply: FastifyReply, { headers = {} }: PageAnswer): void {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value as string | string[]);
}
