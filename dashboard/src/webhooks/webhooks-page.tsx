/** Addresses that turn requests of other systems into events. */
import { getRouteApi, linkOptions, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, NewButton } from '../components/button.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn, nameColumn, numberColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage } from '../components/table/list-page.tsx';
import { Moment } from '../components/text/moment.tsx';
import { IssuedDialog } from './issued-dialog.tsx';
import { type Issued, signatureTitle, type Webhook, webhooksQuery } from './queries.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const route = getRouteApi('/webhooks');
const pageOf = ({ id }: Webhook) => linkOptions({ to: '/webhooks/webhook/$id', params: { id } });

export function WebhooksPage() {
  const navigate = useNavigate({ from: '/webhooks' });
  const mayChange = useMay('webhooks:write');
  const search = route.useSearch();
  const isCreating = mayChange && search.new === true;
  const create = (isOpen: boolean) => void navigate({ search: { new: isOpen || undefined }, replace: !isOpen });
  const list = useRows(webhooksQuery, (page) => page);
  const [issued, setIssued] = useState<Issued>();
  return (
    <>
      <ListPage
        title="Webhooks"
        actions={mayChange ? <NewButton onClick={() => create(true)}>New webhook</NewButton> : null}
        list={list}
        columns={columns}
        pageOf={pageOf}
        empty={
          <Empty
            title="No webhooks yet"
            action={mayChange ? <Button onClick={() => create(true)}>New webhook</Button> : null}
          >
            <p>
              A webhook is an address that turns requests of other systems into events. Automations react to them, for
              example by a run of a deployment when a repository changes.
            </p>
          </Empty>
        }
      />
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
  nameColumn('Name', ({ name }) => name, pageOf),
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
  momentColumn('last-event', 'Last event', (row) => row.last_event, { none: 'no event yet', width: '7rem', line: 2 }),
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
  numberColumn('enabled', '', ({ enabled }) => (enabled ? null : <span className="text-quiet">Off</span>), { line: 1 }),
];
