/** The address's form of the filters of the audit. */
import { type SearchOf, text } from '../shell/search.ts';

export const auditSearch = {
  actor: text,
  action: text,
  target: text,
  /** `24h`, `7d` or `30d`; all entries when absent. */
  span: text,
  /** Slug; the organization of the workspace when absent. */
  organization: text,
};
export type AuditSearch = SearchOf<typeof auditSearch>;
