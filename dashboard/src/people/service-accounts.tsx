/** Accounts for programs. */

import { linkOptions } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, NewButton } from '../components/button.tsx';
import { titleOf } from '../components/form/form-dialog.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn, nameColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { organizationRoles, type ServiceAccount, serviceAccountsQuery } from './queries.ts';
import { ServiceAccountDialog } from './service-account-dialog.tsx';

export function ServiceAccounts({ org, organizationId }: { readonly org: string; readonly organizationId: string }) {
  const list = useList(serviceAccountsQuery(org));
  const pageOf = pageIn(org);
  const [isMaking, setMaking] = useState(false);
  const make = () => setMaking(true);
  return (
    <>
      <Lead text="Workers, pipelines and other programs act as a service account, so that they continue when a person leaves.">
        <NewButton onClick={make}>New service account</NewButton>
      </Lead>
      <ListTable
        label="Service accounts"
        list={list}
        columns={columnsOf(pageOf)}
        pageOf={pageOf}
        isInset
        empty={
          <Empty title="No service accounts yet" action={<Button onClick={make}>New service account</Button>}>
            A service account has its own role, grants and up to two keys.
          </Empty>
        }
      />
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

const pageIn = (organization: string) => (account: ServiceAccount) =>
  linkOptions({ to: '/people/service-account/$id', params: { id: account.id }, search: { organization } });

function columnsOf(pageOf: ReturnType<typeof pageIn>): readonly Column<ServiceAccount>[] {
  return [
    nameColumn('Name', ({ name }) => name, pageOf, { width: 'minmax(9rem, 1.6fr)' }),
    textColumn('description', 'Description', (one) => one.description, { width: 'minmax(8rem, 2fr)', from: 620 }),
    { id: 'role', title: 'Role', width: '8rem', line: 2, cell: ({ role }) => titleOf(organizationRoles, role) },
    { id: 'state', title: 'State', width: '6rem', line: 1, cell: ({ state }) => stateTitles[state] },
    momentColumn('created', 'Created', ({ createdAt }) => createdAt, { from: 480 }),
  ];
}

export const stateTitles: Readonly<Record<ServiceAccount['state'], string>> = {
  active: 'Active',
  suspended: 'Suspended',
  deleted: 'Deleted',
};
