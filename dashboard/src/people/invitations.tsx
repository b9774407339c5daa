/** Links that make people members. */

import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { titleOf } from '../components/form/form-dialog.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { Moment } from '../components/text/moment.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type Invitation, invitationsQuery, organizationRoles, revokeInvitation } from './queries.ts';

export function Invitations({ org }: { readonly org: string }) {
  const list = useList(invitationsQuery(org));
  const { rows } = list;
  const [showsEnded, setShowsEnded] = useState(false);
  const [asked, setAsked] = useState<Invitation>();
  const [isInviting, setInviting] = useState(false);
  const pending = rows.filter(({ state }) => state === 'pending');
  const ended = rows.length - pending.length;
  const shown = (showsEnded ? rows : pending).toReversed();
  return (
    <>
      <Lead text="A person who opens the link of an invitation joins, with a new password or with the account of its address.">
        {ended > 0 ? (
          <Button kind="quiet" aria-pressed={showsEnded} onClick={() => setShowsEnded(!showsEnded)}>
            {showsEnded ? 'Hide ended' : `Show ${ended} ended`}
          </Button>
        ) : null}
        <Button kind="primary" onClick={() => setInviting(true)}>
          <UserPlus size={14} />
          Invite
        </Button>
      </Lead>
      <ListTable
        label="Invitations"
        list={list}
        rows={shown}
        columns={columnsOf(setAsked)}
        isInset
        empty={
          <Empty title="No pending invitation" action={<Button onClick={() => setInviting(true)}>Invite</Button>}>
            An invitation is a link for a person.
          </Empty>
        }
      />
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`Revoke the invitation of ${asked?.email ?? ''}?`}
        action="Revoke invitation"
        onConfirm={async () => {
          if (asked) await revokeInvitation(org, asked.id);
          await invalidate('/organizations/{org}/invitations');
        }}
      >
        Its link stops working. You can invite the person again.
      </Confirm>
      {isInviting ? <InviteDialog org={org} onClose={() => setInviting(false)} /> : null}
    </>
  );
}

function columnsOf(ask: (invitation: Invitation) => void): readonly Column<Invitation>[] {
  return [
    {
      id: 'email',
      title: 'Address',
      width: 'minmax(10rem, 1fr)',
      line: 1,
      cell: ({ email, state }) => <span className={state === 'pending' ? 'font-medium' : 'text-soft'}>{email}</span>,
    },
    { id: 'role', title: 'Role', width: '8rem', line: 2, cell: ({ role }) => titleOf(organizationRoles, role) },
    momentColumn('created', 'Created', ({ createdAt }) => createdAt, { from: 620 }),
    {
      id: 'expires',
      title: 'State',
      width: '9rem',
      line: 2,
      cell: ({ state, expiresAt }) =>
        state === 'pending' ? (
          <>
            Expires <Moment time={expiresAt} />
          </>
        ) : (
          <span className="text-quiet">{titles[state]}</span>
        ),
    },
    {
      id: 'revoke',
      title: 'Action',
      width: '5.5rem',
      line: 1,
      align: 'right',
      cell: (invitation) =>
        invitation.state === 'pending' ? (
          <Button
            kind="quiet"
            aria-label={`Revoke the invitation of ${invitation.email}`}
            onClick={() => ask(invitation)}
          >
            Revoke
          </Button>
        ) : null,
    },
  ];
}

const titles: Readonly<Record<Invitation['state'], string>> = {
  pending: 'Pending',
  accepted: 'Accepted',
  expired: 'Expired',
  revoked: 'Revoked',
};
