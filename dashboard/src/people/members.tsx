/** Who belongs to the organization, in which role. */
import { useQueryClient } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useAccess } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { Button } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Choice } from '../components/form-dialog.tsx';
import { ListView } from '../components/list-view.tsx';
import { Moment } from '../components/moment.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { changeMember, type Member, membersQuery, organizationRoles, removeMember } from './queries.ts';

interface Asked {
  readonly member: Member;
  /** The role that is asked for; undefined to remove the member. */
  readonly role?: Member['role'];
}

export function Members({ org, mayChange }: { readonly org: string; readonly mayChange: boolean }) {
  const queries = useQueryClient();
  const ownId = useAccess()?.user?.id;
  const { query, rows, more } = useList(membersQuery(org));
  const [asked, setAsked] = useState<Asked>();
  const [isInviting, setInviting] = useState(false);
  const { member, role } = asked ?? {};
  const name = member?.name ?? member?.email ?? '';
  const act = async () => {
    if (!member) return;
    await (role ? changeMember(org, member.id, role) : removeMember(org, member.id));
    await Promise.all(['members', 'access'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-3">
        <p className="mr-auto max-w-140 text-soft">
          Administrators do everything in the organization. Members do what default roles and grants of workspaces and
          servers allow.
        </p>
        {mayChange ? (
          <Button kind="primary" onClick={() => setInviting(true)}>
            <UserPlus size={14} />
            Invite
          </Button>
        ) : null}
      </div>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView query={query} isEmpty={rows.length === 0} empty={null}>
          <DataTable
            label="Members"
            columns={columnsOf(ownId, mayChange, setAsked)}
            rows={rows}
            idOf={({ id }) => id}
            onEnd={more}
          />
        </ListView>
      </div>
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={
          role === undefined
            ? `Remove ${name}?`
            : role === 'admin'
              ? `Make ${name} an administrator?`
              : `Make ${name} a member?`
        }
        action={role === undefined ? 'Remove member' : 'Change role'}
        onConfirm={act}
      >
        {role === undefined
          ? 'The membership and all grants in this organization end with the next request, for keys too. The account stays.'
          : role === 'admin'
            ? 'Administrators have every role in every workspace and server, and manage people and keys.'
            : 'What remains are the default roles and the grants of workspaces and servers.'}
      </Confirm>
      {isInviting ? <InviteDialog org={org} onClose={() => setInviting(false)} /> : null}
    </>
  );
}

function columnsOf(
  ownId: string | undefined,
  mayChange: boolean,
  ask: (asked: Asked) => void,
): readonly Column<Member>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(9rem, 1fr)',
      line: 1,
      cell: ({ id, name, email }) => (
        <>
          <span className="font-medium">{name ?? email}</span>
          {id === ownId ? <span className="ml-2 text-quiet">you</span> : null}
        </>
      ),
    },
    {
      id: 'email',
      title: 'Address',
      width: 'minmax(10rem, 1.2fr)',
      line: 2,
      cell: ({ email }) => <span className="text-soft">{email}</span>,
    },
    { id: 'since', title: 'Member since', width: '7rem', from: 620, cell: (one) => <Moment time={one.createdAt} /> },
    {
      id: 'role',
      title: 'Role',
      width: '9.5rem',
      line: 1,
      cell: (member) =>
        mayChange ? (
          <Choice
            label={`Role of ${member.email}`}
            className="h-6! border-transparent! bg-transparent! hover:border-line!"
            value={member.role}
            choices={organizationRoles}
            onChange={(role) => ask({ member, role })}
          />
        ) : (
          roleTitle(member.role)
        ),
    },
    ...(mayChange
      ? [
          {
            id: 'remove',
            title: 'Action',
            width: '5.5rem',
            line: 2 as const,
            align: 'right' as const,
            cell: (member: Member) => (
              <Button kind="quiet" aria-label={`Remove ${member.email}`} onClick={() => ask({ member })}>
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function roleTitle(role: Member['role']): string {
  return organizationRoles.find(([one]) => one === role)?.[1] ?? role;
}
