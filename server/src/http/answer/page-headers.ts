/**
 * The headers of every page: the pages for people, the dashboard, the documentation. `contentSecurityPolicy` says what the
 * page may load. No page is framed, read as another type, or reached from a window that another site opened.
 */
export function pageHeaders(contentSecurityPolicy: string): Record<string, string> {
  return { ...NAVIGATION_HEADERS, 'content-security-policy': contentSecurityPolicy };
}

/**
 * All answers to navigations have them. Addresses may contain tokens, so the referrer policy hides them from other
 * sites.
 */
export const NAVIGATION_HEADERS = {
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
} as const;
