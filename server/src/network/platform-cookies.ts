/**
 * The cookies of the platform, by their names. MCP servers may be served on the platform's origin, where a browser sends
 * them these cookies and takes new ones from them; the gateway lets neither pass.
 */
const PLATFORM_COOKIE_PREFIX = 'signalbox_';

/** Every cookie that the platform sets has such a name. */
export type PlatformCookie = `${typeof PLATFORM_COOKIE_PREFIX}${string}`;

/** In any case, and with the prefixes by which browsers know cookies of one host (`__Host-`, `__Secure-`). */
const PLATFORM_COOKIE = new RegExp(`^(__[a-z]+-)*${PLATFORM_COOKIE_PREFIX}`, 'i');

/**
 * Characters that may precede a name. Browsers trim spaces, and send a cookie without a name as its value alone, so
 * `=signalbox_session=…` would come back as `signalbox_session=…`.
 */
const BEFORE_NAME = /^[\s="]+/;

/** Whether a part of `Cookie`, or a whole `Set-Cookie`, is about a cookie of the platform. */
function isPlatformCookie(text: string): boolean {
  return PLATFORM_COOKIE.test(text.replace(BEFORE_NAME, ''));
}

/** The header `Cookie` without those of the platform: the same text when it holds none; undefined when none is left. */
export function withoutPlatformCookies(cookie: string): string | undefined {
  const parts = cookie.split(';');
  const others = parts.filter((part) => !isPlatformCookie(part));
  if (others.length === parts.length) return cookie;
  const kept = others.join(';').trim();
  return kept === '' ? undefined : kept;
}

/** Those headers `Set-Cookie` that set no cookie of the platform. */
export function settingNoPlatformCookie(setCookies: readonly string[]): string[] {
  return setCookies.filter((one) => !isPlatformCookie(one));
}
