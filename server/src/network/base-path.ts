/**
 * `SIGNALBOX_BASE_PATH`: the path below which people reach this server. It is cut off before any other code sees a
 * request; `publicPathOf` adds it to the addresses that the server announces.
 */
import type { IncomingMessage } from 'node:http';

const PATH = /^(\/[a-z0-9._~-]+)+$/i;
const DOTS = /\/\.{1,2}(\/|$)/;
/** Metadata about `/signalbox/x` is at `/.well-known/name/signalbox/x`. Source: RFC 8414 and RFC 9728, section 3.1. */
const WELL_KNOWN = /^\/\.well-known\/[^/?]+/;

export function isBasePath(text: string): boolean {
  return PATH.test(text) && !DOTS.test(text);
}

/** Also accepts requests without the path: from a proxy that cuts it off, and from probes. */
export function cutBasePath(basePath: string, request: IncomingMessage): void {
  if (basePath !== '') request.url = withoutBasePath(basePath, request.url ?? '/');
}

function withoutBasePath(basePath: string, url: string): string {
  const [wellKnown = ''] = WELL_KNOWN.exec(url) ?? [];
  const path = url.slice(wellKnown.length);
  if (!path.startsWith(basePath)) return url;
  const rest = path.slice(basePath.length);
  if (rest.startsWith('/')) return wellKnown + rest;
  if (rest === '' || rest.startsWith('?')) return wellKnown === '' ? `/${rest}` : wellKnown + rest;
  return url;
}
