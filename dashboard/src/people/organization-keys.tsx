/** The keys of all service accounts of an organization, and the maximum age that it accepts. */

import { linkOptions } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { queries } from '../api/query-client.ts';
import { Button } from '../components/button.tsx';
import { Choice } from '../components/form/form-dialog.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn, nameColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { daysText } from '../keys/expiry.ts';
import { Expiry, LastUsed } from '../keys/key-table.tsx';
import { KeyAgeDialog } from './key-age-dialog.tsx';
import { type KeyFilter, type OrganizationKey, organizationKeysQuery } from './queries.ts';

const filters: readonly (readonly [KeyFilter, string])[] = [
  ['active', 'Active keys'],
  ['expiring', 'Expire within 14 days'],
  ['stale', 'Unused for 90 days, or never'],
  ['all', 'All keys, also ended ones'],
];

const empties: Readonly<Record<KeyFilter, string>> = {
  active: 'No service account has an active key',
  expiring: 'No key expires within 14 days',
  stale: 'Every active key is in use',
  all: 'No service account has a key',
};

interface Props {
  readonly org: string;
  readonly maxAgeDays: number | null;
}

export function OrganizationKeys({ org, maxAgeDays }: Props) {
  const [filter, setFilter] = useState<KeyFilter>('active');
  const [isChanging, setChanging] = useState(false);
  const list = useList(organizationKeysQuery(org, filter));
  return (
    <>
      <Lead
        text={`${
          maxAgeDays === null
            ? 'Keys of any age are accepted.'
            : `Keys that are older than ${daysText(maxAgeDays)} are refused here, also those of people.`
        } The keys of service accounts are listed; those of people are on their own pages.`}
      >
        <Choice label="Which keys" className="w-auto" value={filter} choices={filters} onChange={setFilter} />
        <Button onClick={() => setChanging(true)}>Maximum age</Button>
      </Lead>
      <ListTable label="Keys" list={list} columns={columnsOf(org)} isInset empty={<Empty title={empties[filter]} />} />
      {isChanging ? (
        <KeyAgeDialog
          org={org}
          maxAgeDays={maxAgeDays}
          onSaved={() => void queries.invalidateQueries()}
          onClose={() => setChanging(false)}
        />
      ) : null}
    </>
  );
}

function columnsOf(org: string): readonly Column<OrganizationKey>[] {
  return [
    nameColumn(
      'Service account',
      ({ serviceAccount }) => serviceAccount.name,
      ({ serviceAccount: { id } }) =>
        linkOptions({ to: '/people/service-account/$id', params: { id }, search: { organization: org } }),
      { width: 'minmax(9rem, 1.5fr)' },
    ),
    { id: 'descriptor', title: 'For', width: 'minmax(8rem, 2fr)', line: 2, cell: ({ descriptor }) => descriptor },
    { id: 'expires', title: 'Expires', width: '8rem', line: 2, cell: (key) => <Expiry apiKey={key} /> },
    { id: 'used', title: 'Last used', width: '7rem', line: 2, cell: (key) => <LastUsed apiKey={key} /> },
    momentColumn('created', 'Created', (key) => key.createdAt, { from: 620 }),
    { id: 'state', title: 'State', width: '6rem', line: 1, align: 'right', cell: ({ state }) => states[state] },
  ];
}

const states: Readonly<Record<OrganizationKey['state'], string>> = {
  active: 'Active',
  expired: 'Expired',
  revoked: 'Revoked',
};
