/** One service account: its purpose, its state, its keys. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { titleOf } from '../components/form/form-dialog.tsx';
import { MenuItem, MenuSeparator, MoreMenu } from '../components/menu.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { Empty, Unread } from '../components/states-of-loading.tsx';
import { ListView } from '../components/table/list-view.tsx';
import { Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx';
import { KeyTable } from '../keys/key-table.tsx';
import { OrganizationFrame } from '../organizations/organization-frame.tsx';
import {
  createServiceAccountKey,
  deleteServiceAccount,
  organizationRoles,
  resumeServiceAccount,
  revokeServiceAccountKey,
  rollServiceAccountKey,
  type ServiceAccount,
  serviceAccountKeysQuery,
  serviceAccountQuery,
  suspendServiceAccount,
} from './queries.ts';
import { ServiceAccountDialog } from './service-account-dialog.tsx';
import { stateTitles } from './service-accounts.tsx';

const route = getRouteApi('/people/service-account/$id');

/** Active keys of an account; the server refuses more. */
const MOST_KEYS = 2;

export function ServiceAccountPage() {
  const { id } = route.useParams();
  const { organization: slug } = route.useSearch();
  return (
    <OrganizationFrame title="Service account" organization={slug} isForAdministrators>
      {(organization) => (
        <Account
          org={organization.slug}
          organizationId={organization.id}
          maxAgeDays={organization.maxKeyAgeDays}
          id={id}
        />
      )}
    </OrganizationFrame>
  );
}

interface Props {
  readonly org: string;
  readonly organizationId: string;
  readonly maxAgeDays: number | null;
  readonly id: string;
}

function Account({ org, organizationId, maxAgeDays, id }: Props) {
  const query = useQuery(serviceAccountQuery(org, id));
  const { data: account } = query;
  if (!account) return <Unread of={query} rows={8} isPage />;
  return (
    <>
      <PageHead
        title={account.name}
        trail={[['Service accounts', { to: '/people', search: { tab: 'service-accounts', organization: org } }]]}
        actions={<Actions org={org} organizationId={organizationId} account={account} />}
      />
      <Facts
        className="flex flex-wrap gap-x-6 gap-y-2 px-6 max-sm:px-4"
        of={{
          State: stateTitles[account.state],
          Role: titleOf(organizationRoles, account.role),
          Created: <Moment time={account.createdAt} />,
          Id: <Id id={account.id} />,
          Description: account.description ? account.description : undefined,
        }}
      />
      {account.state === 'suspended' ? (
        <p className="mx-6 mt-4 border-l-2 border-late bg-surface px-4 py-2 max-sm:mx-4">
          Its keys do not work while it is suspended. Resume it to let its programs in again.
        </p>
      ) : null}
      <Keys org={org} organizationId={organizationId} account={account} maxAgeDays={maxAgeDays} />
    </>
  );
}

interface PartProps {
  readonly org: string;
  readonly organizationId: string;
  readonly account: ServiceAccount;
}

function Keys({ org, organizationId, account, maxAgeDays }: PartProps & Pick<Props, 'maxAgeDays'>) {
  const { query, rows, more } = useList(serviceAccountKeysQuery(org, account.id));
  const [isMaking, setMaking] = useState(false);
  const reread = () => invalidate('/organizations/{org}/service-accounts/{id}/api-keys');
  const isFull = rows.filter(({ state }) => state === 'active').length >= MOST_KEYS;
  return (
    <Section title="Keys" className="mt-6 px-6 max-sm:px-4">
      <div className="mb-3 flex flex-wrap items-start gap-3">
        <p className="mr-auto max-w-140 text-soft">
          At most {MOST_KEYS} keys are active at a time. Roll a key to replace it: the old one works on for a while.
        </p>
        <Button
          kind="primary"
          disabled={isFull}
          title={isFull ? `${MOST_KEYS} keys are active. Roll or revoke one.` : undefined}
          onClick={() => setMaking(true)}
        >
          <Plus size={14} />
          New key
        </Button>
      </div>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView query={query} isEmpty={rows.length === 0} empty={<Empty title="It has no key" />}>
          <KeyTable
            keys={rows.toReversed()}
            onEnd={more}
            onRevoke={async (key) => {
              await revokeServiceAccountKey(org, account.id, key.id);
              await reread();
            }}
            onRoll={(key, form) => rollServiceAccountKey(org, account.id, key.id, form)}
            onRolled={() => void reread()}
            most={MOST_KEYS}
            organizationId={organizationId}
            maxAgeDays={maxAgeDays}
          />
        </ListView>
      </div>
      {isMaking ? (
        <CreateKeyDialog
          owner={account.name}
          organizationId={organizationId}
          maxAgeDays={maxAgeDays}
          create={(descriptor, expiresAt) => createServiceAccountKey(org, account.id, descriptor, expiresAt)}
          onClose={() => {
            setMaking(false);
            void reread();
          }}
        />
      ) : null}
    </Section>
  );
}

function Actions({ org, organizationId, account }: PartProps) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'change' | 'suspend' | 'resume' | 'delete'>();
  const reread = () =>
    invalidate('/organizations/{org}/service-accounts', '/organizations/{org}/service-accounts/{id}');
  const close = () => setAsked(undefined);
  const isSuspended = account.state === 'suspended';
  return (
    <>
      <Button onClick={() => setAsked('change')}>Edit</Button>
      <MoreMenu>
        <MenuItem onSelect={() => setAsked(isSuspended ? 'resume' : 'suspend')}>
          {isSuspended ? 'Resume' : 'Suspend'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem isDangerous onSelect={() => setAsked('delete')}>
          Delete
        </MenuItem>
      </MoreMenu>
      {asked === 'change' ? (
        <ServiceAccountDialog
          org={org}
          organizationId={organizationId}
          account={account}
          onSaved={() => void reread()}
          onClose={close}
        />
      ) : null}
      <Confirm
        isOpen={asked === 'suspend' || asked === 'resume'}
        onClose={close}
        question={isSuspended ? `Resume ${account.name}?` : `Suspend ${account.name}?`}
        action={isSuspended ? 'Resume account' : 'Suspend account'}
        onConfirm={async () => {
          await (isSuspended ? resumeServiceAccount(org, account.id) : suspendServiceAccount(org, account.id));
          await reread();
        }}
      >
        {isSuspended
          ? 'Its keys and grants work again, as they were.'
          : 'Its keys stop working with the next request. Keys and grants stay for when it is resumed.'}
      </Confirm>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        question={`Delete ${account.name}?`}
        action="Delete account"
        name={account.name}
        onConfirm={async () => {
          await deleteServiceAccount(org, account.id);
          await invalidate('/organizations/{org}/service-accounts');
          await navigate({ to: '/people', search: { tab: 'service-accounts', organization: org } });
        }}
      >
        Its keys stop working with the next request, and its grants end. The audit keeps its entries.
      </Confirm>
    </>
  );
}
