import { platformRead as read } from '../api/read.ts';

const MOST_OFFERED = 50;

/** People who can own a cause. The server checks that the one who is chosen has a role. */
export const ownersQuery = (org: string) =>
  read.one('/organizations/{org}/members', { params: { path: { org }, query: { limit: MOST_OFFERED } } });
