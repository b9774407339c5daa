/** Queries of the page of the audit. */
import { keepPreviousData } from '@tanstack/react-query';
import type { components } from '../api/platform.gen.ts';
import { nextCursor, PAGE_SIZE, platformRead as read } from '../api/read.ts';
import { platformPath } from '../api/workspace.ts';
import type { SentCondition } from '../components/list/fields.ts';
import type { ValuesQuery } from '../components/list/filter-line.tsx';
import type { ExportFormat } from '../components/list/list-actions.tsx';
import { isRelative, readPast } from '../design/span.ts';

export type AuditEntry = components['schemas']['AuditEntry'];

export interface AuditAsked {
  readonly where: SentCondition[];
  /** All of the time when absent. */
  readonly span: string | undefined;
}

function filterOf({ where, span }: AuditAsked) {
  const { start, end } = readPast(span, Date.now());
  return {
    ...(where.length > 0 ? { where: JSON.stringify(where) } : {}),
    ...(span === undefined ? {} : { since: start }),
    ...(isRelative(span) ? {} : { until: end }),
  };
}

export const auditQuery = (org: string, asked: AuditAsked) =>
  read.pages(
    '/organizations/{org}/audit',
    (cursor: string | undefined) => ({
      params: { path: { org }, query: { limit: PAGE_SIZE, cursor, ...filterOf(asked) } },
    }),
    { key: [org, asked], initialPageParam: undefined, getNextPageParam: nextCursor, placeholderData: keepPreviousData },
  );

export const auditValues =
  (org: string, span: string | undefined): ValuesQuery =>
  ({ where, ...wanted }) =>
    read.timed('/organizations/{org}/audit/values', [org, span, where, wanted], () => ({
      params: { path: { org }, query: { ...wanted, ...filterOf({ where, span }) } },
    }));

export function exportAddress(org: string, asked: AuditAsked, format: ExportFormat): string {
  const query = new URLSearchParams({ format: format === 'csv' ? 'csv' : 'jsonl', ...filterOf(asked) });
  return `${platformPath}/organizations/${encodeURIComponent(org)}/audit/export?${query}`;
}
