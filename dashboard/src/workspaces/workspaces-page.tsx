/** The workspaces of an organization that the person may enter. */

import { getRouteApi, linkOptions, useNavigate } from '@tanstack/react-router';
import { type Organization, useMay } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass, NewButton } from '../components/button.tsx';
import { titleOf } from '../components/form/form-dialog.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { nameColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage } from '../components/table/list-page.tsx';
import { OrganizationFrame } from '../organizations/organization-frame.tsx';
import { addressOfWorkspace } from '../shell/workspace-switcher.tsx';
import { OrganizationDialog } from './organization-dialog.tsx';
import { defaultRoles, roleTitles, type Workspace, workspacesQuery } from './queries.ts';
import { WorkspaceDialog } from './workspace-dialog.tsx';

const route = getRouteApi('/workspaces');

export function WorkspacesPage() {
  const { organization: slug } = route.useSearch();
  return (
    <OrganizationFrame title="Workspaces" organization={slug}>
      {(organization, mayChange) => <Workspaces organization={organization} mayChange={mayChange} />}
    </OrganizationFrame>
  );
}

function Workspaces({ organization, mayChange }: { readonly organization: Organization; readonly mayChange: boolean }) {
  const { slug: org, name } = organization;
  const { new: isNew } = route.useSearch();
  const navigate = useNavigate({ from: '/workspaces' });
  const mayCreateOrganization = useMay('organizations:create');
  const list = useList(workspacesQuery(org));
  const pageOf = pageIn(org);
  const ask = (what: 'workspace' | 'organization' | undefined) =>
    void navigate({ search: (old) => ({ ...old, new: what }), replace: true });
  const reread = () => invalidate('/organizations/{org}/workspaces', '/me/access');
  return (
    <>
      <ListPage
        title="Workspaces"
        trail={[[name]]}
        actions={
          <>
            {mayCreateOrganization ? <Button onClick={() => ask('organization')}>New organization</Button> : null}
            {mayChange ? <NewButton onClick={() => ask('workspace')}>New workspace</NewButton> : null}
          </>
        }
        list={list}
        columns={columnsOf(organization)}
        pageOf={pageOf}
        empty={
          <Empty
            title="No workspace that you may enter"
            action={mayChange ? <Button onClick={() => ask('workspace')}>New workspace</Button> : undefined}
          >
            {mayChange
              ? 'Clients need a workspace to work in.'
              : `Ask an administrator of ${name} for a role in a workspace.`}
          </Empty>
        }
      >
        <p className="max-w-160 px-6 pb-3 text-soft max-sm:px-4">
          A workspace has its own flows, runs, work pools and everything else. Grants say who may do what in it.
        </p>
      </ListPage>
      {isNew === 'workspace' && mayChange ? (
        <WorkspaceDialog
          org={org}
          workspace={undefined}
          onClose={() => ask(undefined)}
          onSaved={(id) => {
            void reread();
            void navigate(pageOf({ id }));
          }}
        />
      ) : null}
      {isNew === 'organization' && mayCreateOrganization ? (
        <OrganizationDialog
          onClose={() => ask(undefined)}
          onSaved={async (made) => {
            await reread();
            void navigate({ search: { organization: made, new: 'workspace' } });
          }}
        />
      ) : null}
    </>
  );
}

const pageIn =
  (organization: string) =>
  ({ id }: Pick<Workspace, 'id'>) =>
    linkOptions({ to: '/workspaces/$id', params: { id }, search: { organization } });

function columnsOf({ id: organizationId, slug: org, workspaces }: Organization): readonly Column<Workspace>[] {
  const own = new Map(workspaces.map((one) => [one.id, one]));
  return [
    nameColumn<Workspace>('Name', ({ name }) => name, pageIn(org), { width: 'minmax(9rem, 1fr)' }),
    textColumn('handle', 'Handle', ({ handle }) => handle, { width: 'minmax(6rem, .6fr)', from: 480, isMono: true }),
    textColumn('description', 'Description', (one) => one.description, { width: 'minmax(8rem, 1.6fr)', from: 880 }),
    {
      id: 'default',
      title: 'Role of members',
      width: '7rem',
      line: 2,
      cell: ({ defaultRole }) => titleOf(defaultRoles, defaultRole ?? 'none'),
    },
    {
      id: 'own',
      title: 'Your role',
      width: '6rem',
      line: 2,
      cell: ({ id }) => {
        const role = own.get(id)?.role;
        return role ? roleTitles[role] : null;
      },
    },
    {
      id: 'enter',
      title: 'Open',
      width: '5rem',
      line: 1,
      align: 'right',
      cell: ({ id, name }) => (
        <a
          href={addressOfWorkspace(organizationId, own.get(id) ?? { id, isDefault: false })}
          aria-label={`Open ${name}`}
          className={buttonClass('quiet')}
        >
          Open
        </a>
      ),
    },
  ];
}
