/** The ways to the server's pages of sign-in. */
import type { Access } from '../api/access.ts';
import { csrfToken } from '../api/csrf-token.ts';
import { basePath } from '../api/server-facts.ts';

/** Signs in and comes back to this page. */
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

/** Whether no page of this workspace opens without signing in. */
export function needsSignIn({ user, permissions }: Access): boolean {
  return user === null && !permissions.includes('flow_runs:read');
}

/** Called when the page opens, before anything is typed. */
export function signInFirst(access: Access): void {
  if (needsSignIn(access)) location.replace(signInAddress());
}
