/** The columns of the audit: who did what, on what, when. */

import { Narrowable } from '../components/list/narrowing.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import { shortId } from '../design/short-id.ts';
import type { AuditEntry } from './queries.ts';

function targetOf({ targetName, targetId }: AuditEntry): string {
  return targetName ?? (targetId ? shortId(targetId) : '');
}

export function auditColumns(show: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] {
  return [
    {
      id: 'time',
      title: 'When',
      width: '9.5rem',
      line: 1,
      cell: ({ occurredAt }) => <Moment time={occurredAt} isExact />,
    },
    {
      id: 'actor',
      title: 'Who',
      text: ({ actorName }) => actorName,
      extra: 8,
      line: 1,
      isFirst: true,
      cell: ({ actorId, actorName }) => (
        <Narrowable field="actor" value={actorId ?? actorName} words={actorName}>
          <span className="font-medium">{actorName}</span>
        </Narrowable>
      ),
    },
    {
      id: 'action',
      title: 'What',
      text: ({ action }) => action,
      extra: 28,
      line: 2,
      cell: (entry) => (
        <Narrowable field="action" value={entry.action} isLinked>
          <button
            type="button"
            className="max-w-full truncate font-mono text-xs hover:underline"
            onClick={() => show(entry)}
          >
            {entry.action}
          </button>
        </Narrowable>
      ),
    },
    {
      id: 'target',
      title: 'Target',
      text: (entry) => `${entry.targetType} ${targetOf(entry)}`,
      extra: 8,
      line: 2,
      cell: (entry) => {
        const words = (
          <>
            <span className="text-quiet">{entry.targetType.replaceAll('_', ' ')}</span> {targetOf(entry)}
          </>
        );
        return entry.targetId ? (
          <Narrowable field="target" value={entry.targetId} words={targetOf(entry)}>
            {words}
          </Narrowable>
        ) : (
          words
        );
      },
    },
    {
      id: 'details',
      title: 'Details',
      width: 'minmax(8rem, 1fr)',
      from: 700,
      cell: ({ details }) => <span className="text-soft">{sentenceOf(details)}</span>,
    },
    {
      id: 'address',
      title: 'From',
      text: ({ address }) => address ?? '',
      extra: 24,
      from: 1000,
      cell: ({ address }) => <span className="font-mono text-xs text-soft">{address}</span>,
    },
  ];
}

function sentenceOf(details: AuditEntry['details']): string {
  return Object.entries(details as Record<string, unknown>)
    .filter(([name]) => !name.endsWith('Id'))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
