/** The cookie of a browser session, and the checks that keep other sites from using it. */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Forbidden } from '../../errors.ts';
import type { PlatformCookie } from '../../network/platform-cookies.ts';

export const SESSION_COOKIE = 'signalbox_session';
export const DEVICE_COOKIE = 'signalbox_device';
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function sessionCookie(headers: IncomingHttpHeaders): string | undefined {
  return cookieOf(headers, SESSION_COOKIE);
}

export function cookieOf(headers: Pick<IncomingHttpHeaders, 'cookie'>, wanted: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === wanted && value) return value;
  }
  return undefined;
}

export function deviceCookie(headers: IncomingHttpHeaders): string | undefined {
  return cookieOf(headers, DEVICE_COOKIE);
}

interface NewCookie {
  readonly value: string;
  readonly maxAgeSeconds: number;
}

/**
 * `set-cookie` headers for a session and for recognizing the browser. Over https these cookies are never sent in clear.
 */
export function beginSession(
  { cookie, deviceCookie }: { readonly cookie: NewCookie; readonly deviceCookie: NewCookie | undefined },
  origin: string,
): string[] {
  const session = setCookie(SESSION_COOKIE, cookie.value, '/', cookie.maxAgeSeconds, origin);
  if (!deviceCookie) return [session];
  return [session, setCookie(DEVICE_COOKIE, deviceCookie.value, '/', deviceCookie.maxAgeSeconds, origin)];
}

export function endSession(origin: string): string {
  return setCookie(SESSION_COOKIE, '', '/', 0, origin);
}

/**
 * Accepts only names that the gateway keeps from MCP servers. `path` is `/`, or below it; `origin` is the public
 * address of this server, whose path comes before it.
 */
export function setCookie(
  name: PlatformCookie,
  value: string,
  path: string,
  maxAgeSeconds: number,
  origin: string,
): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const below = URL.parse(origin)?.pathname.replace(/\/$/, '') ?? '';
  const whole = path === '/' ? below || '/' : below + path;
  return `${name}=${value}; Path=${whole}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}

/**
 * Checks that a change by a session carries its CSRF token in `x-csrf-token`. First refuses a browser request from
 * another site.
 */
export function checkCrossSite(request: FastifyRequest, csrfToken: string, origin: string): void {
  if (safeMethods.has(request.method)) return;
  checkSite(request, origin);
  checkCsrfToken(request.headers['x-csrf-token'], csrfToken);
}

/** `given` is the header of a program's request, or the field of a form. */
export function checkCsrfToken(given: string | string[] | undefined, csrfToken: string): void {
  if (typeof given !== 'string' || !sameText(given, csrfToken)) {
    throw new Forbidden('The header x-csrf-token is missing or wrong.');
  }
}

/**
 * `ownOrigin` is the public origin of this server, which a proxy may hide from the header `Host`. Source: Fetch
 * Metadata; `none` is a request that the person started, for example from the address bar.
 */
export function checkSite(request: FastifyRequest, ownOrigin: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin, host } = request.headers;
  const own = [host, URL.parse(ownOrigin)?.host];
  const foreignOrigin = origin !== undefined && (!URL.canParse(origin) || !own.includes(new URL(origin).host));
  if ((site !== undefined && site !== 'same-origin' && site !== 'none') || foreignOrigin) {
    throw new Forbidden('This request comes from another site.');
  }
}

/** Checks the origin of a posted form, which every browser sends; a client that sends none is not a browser. */
export function checkFormSite(request: FastifyRequest, ownOrigin: string): void {
  checkSite(request, ownOrigin);
  if (request.headers['sec-fetch-site'] === undefined && request.headers.origin === undefined) {
    throw new Forbidden('The request has neither an Origin nor a Sec-Fetch-Site header, so its origin is unknown.');
  }
}

function sameText(left: string, right: string): boolean {
  const [first, second] = [Buffer.from(left), Buffer.from(right)];
  return first.length === second.length && timingSafeEqual(first, second);
}
