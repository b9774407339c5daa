/**
 * The cookies of the platform, by their names. MCP servers may be served on the platform's origin, where a browser
 * sends them these cookies and takes new ones from them; the gateway blocks both.
 */
const PLATFORM_COOKIE_PREFIX = 'signalbox_';

/** Every cookie that the platform sets has such a name. */
export type PlatformCookie = `${typeof PLATFORM_COOKIE_PREFIX}${string}`;

/** Matches any case, and the prefixes by which browsers know cookies of one host (`__Host-`, `__Secure-`). */
const PLATFORM_COOKIE = new RegExp(`^(__[a-z]+-)*${PLATFORM_COOKIE_PREFIX}`, 'i');

/**
 * Characters that may precede a name. Browsers trim spaces, and send a cookie without a name as its value alone, so
 * `=signalbox_session=…` would come back as `signalbox_session=…`.
 */
const BEFORE_NAME = /^[\s="]+/;

/** True if a part of `Cookie`, or a whole `Set-Cookie`, names a cookie of the platform. */
function isPlatformCookie(text: string): boolean {
  return PLATFORM_COOKIE.test(text.replace(BEFORE_NAME, ''));
}

/**
 * Removes the cookies of the platform from the header `Cookie`. Returns the same text if it has none, and undefined if
 * no cookie is left.
 */
export function withoutPlatformCookies(cookie: string): string | undefined {
  const parts = cookie.split(';');
  const others = parts.filter((part) => !isPlatformCookie(part));
  if (others.length === parts.length) return cookie;
  const kept = others.join(';').trim();
  return kept === '' ? undefined : kept;
}

/** The `Set-Cookie` headers that do not set a cookie of the platform. */
export function settingNoPlatformCookie(setCookies: readonly string[]): string[] {
  return setCookies.filter((one) => !isPlatformCookie(one));
}
