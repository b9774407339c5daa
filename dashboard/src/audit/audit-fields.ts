/** The fields by which the audit is narrowed, as the address of its page holds them. */
import type { Field } from '../components/list/fields.ts';
import { type ListFields, readsOf } from '../components/list/use-filters.ts';
import { type SearchOf, text } from '../shell/search.ts';

const fields = [
  { name: 'actor', title: 'Who', kind: 'text', isPart: true, aliases: ['person', 'caller'] },
  { name: 'action', title: 'What', kind: 'text', example: 'grant, grant.set', isPart: true },
  { name: 'target', title: 'Target', kind: 'text', isPart: true },
] as const satisfies readonly Field[];

export const auditFields: ListFields = { fields, text: 'actor' };

export const auditSearch = {
  ...readsOf(fields, text),
  /** `24h`, `7d`, or two times with a slash between them; all entries when absent. */
  span: text,
  /** Slug; the organization of the workspace when absent. */
  organization: text,
};
export type AuditSearch = SearchOf<typeof auditSearch>;
