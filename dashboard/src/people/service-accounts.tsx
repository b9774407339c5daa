/** Accounts for programs. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { ListView } from '../components/list-view.tsx';
import { Moment } from '../components/moment.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { organizationRoles, type ServiceAccount, serviceAccountsQuery } from './queries.ts';
import { ServiceAccountDialog } from './service-account-dialog.tsx';

export function ServiceAccounts({ org, organizationId }: { readonly org: string; readonly organizationId: string }) {
  const navigate = useNavigate();
  const { query, rows, more } = useList(serviceAccountsQuery(org));
  const [isMaking, setMaking] = useState(false);
  const make = () => setMaking(true);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-3">
        <p className="mr-auto max-w-140 text-soft">
          Workers, pipelines and other programs act as a service account, so that they continue when a person leaves.
        </p>
        <Button kind="primary" onClick={make}>
          <Plus size={14} />
          New service account
        </Button>
      </div>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView
          query={query}
          isEmpty={rows.length === 0}
          empty={
            <Empty title="No service accounts yet" action={<Button onClick={make}>Create a service account</Button>}>
              A service account has its own role, grants and up to two keys.
            </Empty>
          }
        >
          <DataTable
            label="Service accounts"
            columns={columnsOf(org)}
            rows={rows}
            idOf={({ id }) => id}
            onOpen={({ id }) =>
              void navigate({ to: '/people/service-account/$id', params: { id }, search: { organization: org } })
            }
            onEnd={more}
          />
        </ListView>
      </div>
      {isMaking ? (
        <ServiceAccountDialog
          org={org}
          organizationId={organizationId}
          account={undefined}
          onSaved={() => void invalidate('/organizations/{org}/service-accounts')}
          onClose={() => setMaking(false)}
        />
      ) : null}
    </>
  );
}

function columnsOf(org: string): readonly Column<ServiceAccount>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(9rem, 1.6fr)',
      line: 1,
      cell: ({ id, name }) => (
        <Link
          to="/people/service-account/$id"
          params={{ id }}
          search={{ organization: org }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'description',
      title: 'Description',
      width: 'minmax(8rem, 2fr)',
      from: 620,
      cell: ({ description }) => <span className="text-soft">{description}</span>,
    },
    {
      id: 'role',
      title: 'Role',
      width: '8rem',
      line: 2,
      cell: ({ role }) => organizationRoles.find(([one]) => one === role)?.[1] ?? role,
    },
    { id: 'state', title: 'State', width: '6rem', line: 1, cell: ({ state }) => stateTitles[state] },
    { id: 'created', title: 'Created', width: '6rem', from: 480, cell: (one) => <Moment time={one.createdAt} /> },
  ];
}

export const stateTitles: Readonly<Record<ServiceAccount['state'], string>> = {
  active: 'Active',
  suspended: 'Suspended',
  deleted: 'Deleted',
};
