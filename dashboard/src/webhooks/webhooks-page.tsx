/** Addresses that turn requests of other systems into events. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { IssuedDialog } from './issued-dialog.tsx';
import { type Issued, signatureTitle, type Webhook, webhooksQuery } from './queries.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const route = getRouteApi('/webhooks');

export function WebhooksPage() {
  const navigate = useNavigate({ from: '/webhooks' });
  const mayChange = useMay('webhooks:write');
  const search = route.useSearch();
  const isCreating = mayChange && search.new === true;
  const create = (isOpen: boolean) => void navigate({ search: { new: isOpen || undefined }, replace: !isOpen });
  const query = useInfiniteQuery(webhooksQuery);
  const [issued, setIssued] = useState<Issued>();
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flat() ?? [], [pages]);
  const more = useMore(query);
  return (
    <>
      <PageHead
        title="Webhooks"
        actions={
          mayChange ? (
            <Button kind="primary" onClick={() => create(true)}>
              <Plus size={14} />
              New webhook
            </Button>
          ) : null
        }
      />
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={8} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length > 0 ? (
        <DataTable
          label="Webhooks"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/webhooks/webhook/$id', params: { id } })}
          onEnd={more}
        />
      ) : (
        <Empty
          title="No webhooks yet"
          action={mayChange ? <Button onClick={() => create(true)}>Create a webhook</Button> : null}
        >
          <p>
            A webhook is an address that turns requests of other systems into events. Automations react to them, for
            example by a run of a deployment when a repository changes.
          </p>
        </Empty>
      )}
      {isCreating ? (
        <WebhookDialog
          webhook={undefined}
          onClose={() => create(false)}
          onSaved={(made) => {
            create(false);
            setIssued(made);
            void invalidate('/webhooks/filter');
          }}
        />
      ) : null}
      {issued ? <IssuedDialog issued={issued} onClose={() => setIssued(undefined)} /> : null}
    </>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    line: 1,
    cell: ({ id, name }) => (
      <Link to="/webhooks/webhook/$id" params={{ id }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'slug',
    title: 'Address',
    width: '8rem',
    from: 620,
    cell: ({ slug }) => <span className="font-mono text-xs text-soft">{slug}</span>,
  },
  {
    id: 'signature',
    title: 'Signed by',
    width: 'minmax(8rem, 1fr)',
    from: 760,
    cell: ({ signature }) =>
      signature === 'none' ? <span className="text-quiet">nobody</span> : signatureTitle(signature),
  },
  {
    id: 'last-event',
    title: 'Last event',
    width: '7rem',
    line: 2,
    cell: ({ last_event }) =>
      last_event ? <Moment time={last_event} /> : <span className="text-quiet">no event yet</span>,
  },
  {
    id: 'last-failure',
    title: 'Last refused',
    width: '7rem',
    from: 620,
    cell: ({ last_failure }) =>
      last_failure ? (
        <span className="text-failed-text">
          <Moment time={last_failure} />
        </span>
      ) : (
        <span className="text-quiet">none</span>
      ),
  },
  {
    id: 'enabled',
    title: '',
    width: '5rem',
    align: 'right',
    line: 1,
    cell: ({ enabled }) => (enabled ? null : <span className="text-quiet">Off</span>),
  },
];
