/** The members of the organization, with their roles. */

import { Ellipsis, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useAccess, useMay } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Choice, titleOf } from '../components/form/form-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { Lead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { actionsColumn, momentColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { NameFilter } from '../components/table/list-page.tsx';
import { ListTable } from '../components/table/list-table.tsx';
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
  const list = useList(membersQuery(org, name));
  const [asked, setAsked] = useState<Asked>();
  const [isInviting, setInviting] = useState(false);
  const isOperator = useMay('installation:operate');
  const reread = () => invalidate('/organizations/{org}/members', '/me/access');
  return (
    <>
      <Lead text="Administrators do everything in the organization. Members do what default roles and grants of workspaces and servers allow.">
        <NameFilter of="People" what="name or address" value={name} onChange={onName} />
        {mayChange ? (
          <Button kind="primary" onClick={() => setInviting(true)}>
            <UserPlus size={14} />
            Invite
          </Button>
        ) : null}
      </Lead>
      <ListTable
        label="Members"
        list={list}
        columns={columnsOf({ ownId, mayChange, isOperator, ask: setAsked })}
        isInset
        empty={<Empty title="Nobody has this name or address" />}
      />
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
    textColumn('email', 'Address', ({ email }) => email, { width: 'minmax(10rem, 1.2fr)', line: 2 }),
    momentColumn('since', 'Member since', ({ createdAt }) => createdAt, { width: '7rem', from: 620 }),
    {
      id: 'role',
      title: 'Role',
      width: '9.5rem',
      line: 2,
      isFirst: true,
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
          titleOf(organizationRoles, member.role)
        ),
    },
    ...(mayChange || isOperator
      ? [
          actionsColumn(
            '5.5rem',
            (member: Member) => (
              <MemberMenu
                member={member}
                mayRemove={mayChange}
                isOperator={isOperator}
                ask={(change) => ask({ member, change })}
              />
            ),
            { title: 'Actions' },
          ),
        ]
      : []),
  ];
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
