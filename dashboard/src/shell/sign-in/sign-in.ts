/** Links to the server's sign-in pages. */
import type { Access } from '../../api/access.ts';
import { csrfToken } from '../../api/csrf-token.ts';
import { basePath } from '../../api/server-facts.ts';

/** Signs in and returns to this page. */
export function signInAddress(): string {
  const here = location.pathname.slice(basePath.length) + location.search;
  return `${basePath}/sign-in?next=${encodeURIComponent(here)}`;
}

/** Signs in beside a page that stays open. */
export const signInBeside = `${basePath}/sign-in?next=${encodeURIComponent('/signed-in')}`;

export function signOut(): void {
  void fetch(`${basePath}/api/v0/session`, {
    method: 'DELETE',
    headers: { 'x-csrf-token': csrfToken() ?? '' },
  }).then(() => location.assign(`${basePath}/sign-in?after=sign-out`));
}

/** True if no page of this workspace is visible without signing in. */
export function needsSignIn({ user, permissions }: Access): boolean {
  return user === null && !permissions.includes('flow_runs:read');
}

/** Call it when the page opens, before anything is typed. */
export function signInFirst(access: Access): void {
  if (needsSignIn(access)) location.replace(signInAddress());
}
