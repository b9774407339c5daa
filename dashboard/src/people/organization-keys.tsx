/** The keys of all service accounts of an organization, and the maximum age that it accepts. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { queries } from '../api/query-client.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Choice } from '../components/form-dialog.tsx';
import { ListView } from '../components/list-view.tsx';
import { Moment } from '../components/moment.tsx';
import { Empty } from '../components/states-of-loading.tsx';
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
  const { query, rows, more } = useList(organizationKeysQuery(org, filter));
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-3">
        <p className="mr-auto max-w-140 text-soft">
          {maxAgeDays === null
            ? 'Keys of any age are accepted.'
            : `Keys that are older than ${daysText(maxAgeDays)} are refused here, also those of people.`}{' '}
          The keys of service accounts are listed; those of people are on their own pages.
        </p>
        <Choice label="Which keys" className="w-auto" value={filter} choices={filters} onChange={setFilter} />
        <Button onClick={() => setChanging(true)}>Maximum age</Button>
      </div>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView query={query} isEmpty={rows.length === 0} empty={<Empty title={empties[filter]} />}>
          <DataTable label="Keys" columns={columnsOf(org)} rows={rows} idOf={({ id }) => id} onEnd={more} />
        </ListView>
      </div>
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
    {
      id: 'account',
      title: 'Service account',
      width: 'minmax(9rem, 1.5fr)',
      line: 1,
      cell: ({ serviceAccount: { id, name } }) => (
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
    { id: 'descriptor', title: 'For', width: 'minmax(8rem, 2fr)', line: 2, cell: ({ descriptor }) => descriptor },
    { id: 'expires', title: 'Expires', width: '8rem', line: 2, cell: (key) => <Expiry apiKey={key} /> },
    { id: 'used', title: 'Last used', width: '7rem', line: 2, cell: (key) => <LastUsed apiKey={key} /> },
    { id: 'created', title: 'Created', width: '6rem', from: 620, cell: (key) => <Moment time={key.createdAt} /> },
    { id: 'state', title: 'State', width: '6rem', line: 1, align: 'right', cell: ({ state }) => states[state] },
  ];
}

const states: Readonly<Record<OrganizationKey['state'], string>> = {
  active: 'Active',
  expired: 'Expired',
  revoked: 'Revoked',
};
