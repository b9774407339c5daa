/** Queries of the page of the audit. */
import type { components } from '../api/platform.gen.ts';
import { nextCursor, PAGE_SIZE, platformRead as read } from '../api/read.ts';
import { platformPath } from '../api/workspace.ts';
import type { AuditSearch } from './audit-search.ts';

export type AuditEntry = components['schemas']['AuditEntry'];

export const spans = [
  ['', 'All time', 0],
  ['24h', 'Last 24 hours', 24],
  ['7d', 'Last 7 days', 7 * 24],
  ['30d', 'Last 30 days', 30 * 24],
] as const;

const HOUR_MILLISECONDS = 3_600_000;

interface Filter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly since?: string;
}

function filterOf({ actor, action, target, span }: AuditSearch): Filter {
  const hours = spans.find(([value]) => value !== '' && value === span)?.[2];
  return {
    ...(actor ? { actor } : {}),
    ...(action ? { action } : {}),
    ...(target ? { target } : {}),
    ...(hours ? { since: new Date(Date.now() - hours * HOUR_MILLISECONDS).toISOString() } : {}),
  };
}

export const auditQuery = (org: string, search: AuditSearch) =>
  read.pages(
    '/organizations/{org}/audit',
    (cursor: string | undefined) => ({
      params: { path: { org }, query: { limit: PAGE_SIZE, cursor, ...filterOf(search) } },
    }),
    { key: [org, search], initialPageParam: undefined, getNextPageParam: nextCursor },
  );

export function exportAddress(org: string, search: AuditSearch, format: 'csv' | 'jsonl'): string {
  const query = new URLSearchParams({ format, ...filterOf(search) });
  return `${platformPath}/organizations/${encodeURIComponent(org)}/audit/export?${query}`;
}
