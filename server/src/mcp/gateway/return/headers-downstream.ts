/**
 * Selects the headers of an answer that are sent to the client. They prevent answers of MCP servers from acting on the
 * origin that serves them, which may be the platform's: a browser renders none of their content with the rights of that
 * origin, and accepts no rules for it from them.
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { settingNoPlatformCookie } from '../../../network/platform-cookies.ts';
import { endToEnd } from '../arrive/headers-upstream.ts';

/** Headers that affect the whole origin, or make the browser load another page. */
const ABOUT_ORIGIN: readonly string[] = [
  'accept-ch',
  'activate-storage-access',
  'alt-svc',
  'clear-site-data',
  'content-security-policy-report-only',
  'critical-ch',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'sec-session-challenge',
  'sec-session-registration',
  'secure-session-challenge',
  'secure-session-registration',
  'service-worker-allowed',
  'set-cookie2',
  'set-login',
  'speculation-rules',
  'strict-transport-security',
];

/** The content types of MCP answers. No browser renders them as a document; it might render any other. */
const INERT = /^\s*(application\/json|text\/event-stream)\s*(;[^,]*)?$/i;

/** Schemes for which a browser asks the person for a password, or sends its password for this origin. */
const ANSWERED_BY_BROWSERS = /(^|,)\s*(basic|digest|negotiate|ntlm)\b/i;

const RETURNED = ['content-type', 'x-accel-buffering', 'cache-control', 'retry-after', 'allow'] as const;

export function headersDownstream(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {};
  for (const name of RETURNED) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  // None of these names affects the origin, so nothing needs to be removed.
  return containDocument(kept);
}

/**
 * The headers for a server that authenticates callers itself. Cookies stay separate, because their values may contain
 * commas.
 */
export function untouchedHeadersDownstream(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const cookies = headers['set-cookie'];
  return containAnswer({ ...endToEnd(headers), ...(cookies === undefined ? {} : { 'set-cookie': cookies }) });
}

/** Changes the headers of an answer in place. `headers` has names in lower case. */
function containAnswer(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  for (const name of ABOUT_ORIGIN) delete headers[name];
  if (headers['location'] !== undefined && !isWebAddress(String(headers['location']))) delete headers['location'];
  if (ANSWERED_BY_BROWSERS.test(String(headers['www-authenticate'] ?? ''))) delete headers['www-authenticate'];
  const cookies = headers['set-cookie'];
  if (cookies !== undefined) {
    const kept = settingNoPlatformCookie([cookies].flat());
    if (kept.length > 0) headers['set-cookie'] = kept;
    else delete headers['set-cookie'];
  }
  return containDocument(headers);
}

/** Keeps a browser from rendering the answer as a document of this origin. */
function containDocument(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  headers['x-content-type-options'] = 'nosniff';
  if (!INERT.test(String(headers['content-type'] ?? ''))) {
    headers['content-security-policy'] = 'sandbox';
    headers['cross-origin-resource-policy'] = 'same-origin';
  }
  return headers;
}

function isWebAddress(location: string): boolean {
  const protocol = URL.parse(location, 'http://here.invalid')?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}
