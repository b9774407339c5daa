/** The members of the organization, with their roles. */
import { Ellipsis, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useAccess, useMay } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Choice } from '../components/form-dialog.tsx';
import { ListView } from '../components/list-view.tsx';
import { Menu, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { Moment } from '../components/moment.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type MemberChange, MemberDialog } from './member-dialog.tsx';
import { type Member, membersQuery, organizationRoles } from './queries.ts';

interface Asked {
  readonly member: Member;
  readonly change: MemberChange;
}

interface Props {
  readonly org: string;
  readonly mayChange: boolean;
  /** A part of a name or of an address. */
  readonly name: string | undefined;
  readonly onName: (name: string | undefined) => void;
}

export function Members({ org, mayChange, name, onName }: Props) {
  const ownId = useAccess()?.user?.id;
  const { query, rows, more } = useList(membersQuery(org, name));
  const [asked, setAsked] = useState<Asked>();
  const [isInviting, setInviting] = useState(false);
  const isOperator = useMay('installation:operate');
  const reread = () => invalidate('/organizations/{org}/members', '/me/access');
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-3">
        <p className="mr-auto max-w-140 text-soft">
          Administrators do everything in the organization. Members do what default roles and grants of workspaces and
          servers allow.
        </p>
        <input
          data-filter
          type="search"
          aria-label="People whose name or address contains"
          placeholder="Name or address contains"
          className="field w-56"
          value={name ?? ''}
          onChange={(event) => onName(event.target.value || undefined)}
        />
        {mayChange ? (
          <Button kind="primary" onClick={() => setInviting(true)}>
            <UserPlus size={14} />
            Invite
          </Button>
        ) : null}
      </div>
      <div className="-mx-6 max-sm:-mx-4">
        <ListView query={query} isEmpty={rows.length === 0} empty={<Empty title="Nobody has this name or address" />}>
          <DataTable
            label="Members"
            columns={columnsOf({ ownId, mayChange, isOperator, ask: setAsked })}
            rows={rows}
            idOf={({ id }) => id}
            onEnd={more}
          />
        </ListView>
      </div>
      {asked ? <MemberDialog org={org} {...asked} onChanged={reread} onClose={() => setAsked(undefined)} /> : null}
      {isInviting ? <InviteDialog org={org} onClose={() => setInviting(false)} /> : null}
    </>
  );
}

interface Columns {
  readonly ownId: string | undefined;
  /** True to show actions of the organization's administrators. */
  readonly mayChange: boolean;
  /** True to show actions of the installation's operators. */
  readonly isOperator: boolean;
  readonly ask: (asked: Asked) => void;
}

function columnsOf({ ownId, mayChange, isOperator, ask }: Columns): readonly Column<Member>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(9rem, 1fr)',
      line: 1,
      cell: ({ id, name, email, state }) => (
        <>
          <span className="font-medium">{name ?? email}</span>
          {id === ownId ? <span className="ml-2 text-quiet">you</span> : null}
          {state === 'suspended' ? <span className="ml-2 text-late-text">suspended</span> : null}
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
            onChange={(role) => ask({ member, change: { role } })}
          />
        ) : (
          roleTitle(member.role)
        ),
    },
    ...(mayChange || isOperator
      ? [
          {
            id: 'actions',
            title: 'Actions',
            width: '5.5rem',
            line: 2 as const,
            align: 'right' as const,
            cell: (member: Member) => (
              <MemberMenu
                member={member}
                mayRemove={mayChange}
                isOperator={isOperator}
                ask={(change) => ask({ member, change })}
              />
            ),
          },
        ]
      : []),
  ];
}

function roleTitle(role: Member['role']): string {
  return organizationRoles.find(([one]) => one === role)?.[1] ?? role;
}

interface MenuProps {
  readonly member: Member;
  readonly mayRemove: boolean;
  readonly isOperator: boolean;
  readonly ask: (change: MemberChange) => void;
}

function MemberMenu({ member, mayRemove, isOperator, ask }: MenuProps) {
  const isSuspended = member.state === 'suspended';
  return (
    <Menu
      trigger={
        <IconButton label={`Actions on ${member.email}`} className="h-6!">
          <Ellipsis size={14} />
        </IconButton>
      }
    >
      {isOperator ? (
        <MenuItem onSelect={() => ask(isSuspended ? 'reactivate' : 'suspend')}>
          {isSuspended ? 'Reactivate…' : 'Suspend…'}
        </MenuItem>
      ) : null}
      {isOperator && member.isLinked ? <MenuItem onSelect={() => ask('unlink')}>Unlink…</MenuItem> : null}
      {isOperator && mayRemove ? <MenuSeparator /> : null}
      {mayRemove ? (
        <MenuItem isDangerous onSelect={() => ask('remove')}>
          Remove from the organization…
        </MenuItem>
      ) : null}
    </Menu>
  );
}
