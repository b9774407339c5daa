/** The role of each member and service account in a workspace, and its source. */

import { useMemo } from 'react';
import type { Organization } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Choice } from '../components/form/form-dialog.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListTable } from '../components/table/list-table.tsx';
import { useAction } from '../components/use-action.ts';
import { type Member, membersQuery, type ServiceAccount, serviceAccountsQuery } from '../people/queries.ts';
import {
  type Grant,
  grantsQuery,
  type Role,
  removeGrant,
  roles,
  roleTitles,
  setGrant,
  type Workspace,
} from './queries.ts';

interface Actor {
  readonly id: string;
  readonly name: string;
  readonly kind: 'person' | 'service account';
  readonly isAdministrator: boolean;
  readonly granted: Role | undefined;
}

interface Props {
  readonly organization: Organization;
  readonly workspace: Workspace;
}

export function Grants(props: Props) {
  return props.organization.role === 'admin' ? (
    <GrantsWithPrograms {...props} />
  ) : (
    <GrantTable {...props} programs={[]} />
  );
}

/** Only administrators of the organization may list its service accounts. */
function GrantsWithPrograms(props: Props) {
  const { rows } = useList(serviceAccountsQuery(props.organization.slug));
  return <GrantTable {...props} programs={rows} />;
}

function GrantTable({ organization, workspace, programs }: Props & { readonly programs: readonly ServiceAccount[] }) {
  const { slug: org } = organization;
  const members = useList(membersQuery(org));
  const grants = useList(grantsQuery(org, workspace.id));
  const { run, problem } = useAction();
  const actors = useMemo(() => actorsOf(members.rows, programs, grants.rows), [members.rows, programs, grants.rows]);
  const more = () => {
    members.more();
    grants.more();
  };
  const change = async (actor: Actor, role: Role | 'default') => {
    await run(() =>
      role === 'default' ? removeGrant(org, workspace.id, actor.id) : setGrant(org, workspace.id, actor.id, role),
    );
    await invalidate('/organizations/{org}/workspaces/{id}/grants', '/me/access');
  };
  return (
    <>
      <p className="max-w-160 px-6 pb-3 text-soft max-sm:px-4">
        A grant wins over the default role, also when it is lower. A change counts from the next request on.
      </p>
      <ProblemNote text={problem} className="px-6 pb-2 max-sm:px-4" />
      <ListTable
        label="Roles in the workspace"
        list={{ query: grants.query.error ? grants.query : members.query, rows: actors, more }}
        columns={columnsOf(workspace, (actor, role) => void change(actor, role))}
        empty={null}
      />
    </>
  );
}

function actorsOf(
  members: readonly Member[],
  programs: readonly ServiceAccount[],
  grants: readonly Grant[],
): readonly Actor[] {
  const granted = new Map(grants.map(({ actorId, role }) => [actorId, role]));
  const people = members.map(
    ({ id, name, email, role }): Actor => ({
      id,
      name: name ? `${name} · ${email}` : email,
      kind: 'person',
      isAdministrator: role === 'admin',
      granted: granted.get(id),
    }),
  );
  const accounts = programs.map(
    ({ id, name, role }): Actor => ({
      id,
      name,
      kind: 'service account',
      isAdministrator: role === 'admin',
      granted: granted.get(id),
    }),
  );
  const known = new Set([...people, ...accounts].map(({ id }) => id));
  const others = grants
    .filter(({ actorId }) => !known.has(actorId))
    .map(
      ({ actorId, actorName, actorType, role }): Actor => ({
        id: actorId,
        name: actorName,
        kind: actorType === 'user' ? 'person' : 'service account',
        isAdministrator: false,
        granted: role,
      }),
    );
  return [...people, ...accounts, ...others];
}

function columnsOf(
  { defaultRole }: Workspace,
  change: (actor: Actor, role: Role | 'default') => void,
): readonly Column<Actor>[] {
  const fallback = defaultRole === null ? 'nothing' : roleTitles[defaultRole];
  return [
    {
      id: 'name',
      title: 'Who',
      width: 'minmax(10rem, 1.5fr)',
      line: 1,
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    textColumn('kind', 'Kind', ({ kind }) => kind, { width: '8rem', from: 620 }),
    {
      id: 'role',
      title: 'Role',
      width: '11rem',
      line: 2,
      cell: (actor) =>
        actor.isAdministrator ? (
          <span className="px-2">Admin</span>
        ) : (
          <Choice
            label={`Role of ${actor.name}`}
            className="h-6! bg-transparent!"
            value={actor.granted ?? 'default'}
            choices={[['default', `Default: ${fallback}`], ...roles] as const}
            onChange={(role) => change(actor, role)}
          />
        ),
    },
    {
      id: 'reason',
      title: 'Why',
      width: 'minmax(8rem, 1fr)',
      line: 2,
      cell: ({ isAdministrator, granted }) => (
        <span className="text-quiet">
          {isAdministrator ? 'Administrator of the organization' : granted ? 'Grant' : 'Default role'}
        </span>
      ),
    },
  ];
}
