import type { Organization } from '../api/access.ts';
import type { ServerView } from './queries.ts';

/** The server whose tab is shown, and its organization. */
export interface TabProps {
  readonly organization: Organization;
  readonly view: ServerView;
}
