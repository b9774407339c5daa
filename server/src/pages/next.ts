/** Checks the address that a person opens after signing in: it is always on this server. */

const START = '/';

export function signInAddress(next: string): string {
  return `/sign-in?${new URLSearchParams({ next })}`;
}

/**
 * The path `next`, or the start page when `next` is not a path of this server. Browsers read `\` as `/` and skip tabs
 * and line ends, so `//host`, `/\host` and `/<tab>/host` lead elsewhere; the rest is resolved and its origin compared.
 */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next) || !URL.canParse(next, 'http://here'))
    return START;
  const { origin, pathname, search } = new URL(next, 'http://here');
  return origin === 'http://here' && !pathname.startsWith('//') ? pathname + search : START;
}
