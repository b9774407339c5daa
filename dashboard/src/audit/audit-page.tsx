/** The audit of the organization: who changed what, from where and when. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { Organization } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { download } from '../components/download.ts';
import { FilteredList } from '../components/list/filtered-list.tsx';
import { ListActions } from '../components/list/list-actions.tsx';
import { useFilters } from '../components/list/use-filters.ts';
import { Facts, PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { CodeBlock } from '../components/text/code-block.tsx';
import { Moment } from '../components/text/moment.tsx';
import { readPast } from '../design/span.ts';
import { OrganizationFrame } from '../organizations/organization-frame.tsx';
import { auditColumns } from './audit-columns.tsx';
import { type AuditSearch, auditFields } from './audit-fields.ts';
import { type AuditEntry, auditQuery, auditValues, exportAddress } from './queries.ts';

const route = getRouteApi('/audit');

export function AuditPage() {
  const { organization: slug } = route.useSearch();
  return (
    <OrganizationFrame title="Audit" organization={slug} isForAdministrators>
      {(organization) => <Audit organization={organization} />}
    </OrganizationFrame>
  );
}

function Audit({ organization: { slug: org, name } }: { readonly organization: Organization }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  const change = useCallback(
    (part: AuditSearch) => void navigate({ search: (old) => ({ ...old, ...part }), resetScroll: false }),
    [navigate],
  );
  const { span } = search;
  const filters = useFilters(auditFields, search, change);
  const { where } = filters;
  const asked = useMemo(() => ({ where, span }), [where, span]);
  const query = useInfiniteQuery(auditQuery(org, asked));
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const [shown, setShown] = useState<AuditEntry>();
  const columns = useMemo(() => auditColumns(setShown), []);
  const names = useMemo(() => new Map(rows.flatMap(namesIn)), [rows]);
  const label = useCallback((_field: string, value: string) => names.get(value), [names]);
  return (
    <>
      <PageHead
        title="Audit"
        trail={<span>{name}</span>}
        actions={
          <ListActions
            name="audit"
            columns={columns}
            onExport={(format) => download(exportAddress(org, asked, format), `audit-${org}.${format}`)}
          />
        }
      />
      <FilteredList
        name="audit"
        label="Audit"
        nouns={['entry', 'entries']}
        filters={{ ...filters, label }}
        values={useMemo(() => auditValues(org, span), [org, span])}
        time={{
          span,
          onChange: (next) => change({ span: next }),
          times: (now) => readPast(span ?? WHOLE, now),
          whole: 'All time',
        }}
        query={query}
        rows={rows}
        idOf={idOf}
        columns={columns}
        onOpen={setShown}
        empty={
          <Empty title={span === undefined ? 'Nothing has changed yet' : 'Nothing has changed in this time'}>
            Every accepted change of people, keys and servers appears here.
          </Empty>
        }
      />
      {shown ? <EntryDialog entry={shown} onClose={() => setShown(undefined)} /> : null}
    </>
  );
}

/** The time of a list without a span, for a link with fixed times. */
const WHOLE = '520w';

const idOf = ({ id }: AuditEntry) => id;

function namesIn({ actorId, actorName, targetId, targetName }: AuditEntry): [string, string][] {
  return [...named(actorId, actorName), ...named(targetId, targetName)];
}

function named(id: string | null, name: string | null): [string, string][] {
  return id !== null && name !== null ? [[id, name]] : [];
}

function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={entry.action}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Facts
        className="grid grid-cols-2 gap-x-6 gap-y-3 max-sm:grid-cols-1"
        of={{
          When: <Moment time={entry.occurredAt} absolute />,
          From: entry.address ?? 'the machine of the server',
          Who: `${entry.actorType.replaceAll('_', ' ')} ${entry.actorName}`,
          Target: `${entry.targetType.replaceAll('_', ' ')} ${entry.targetName ?? ''}`,
          'Id of who': entry.actorId ?? '–',
          'Target id': entry.targetId ?? '–',
        }}
      />
      <h3 className="mt-4 mb-1 text-xs text-quiet">Details</h3>
      <CodeBlock label="Details" text={JSON.stringify(entry.details, null, 2)} isWrapped />
    </Dialog>
  );
}
