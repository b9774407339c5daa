/** The workspaces of an organization that the person may enter. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type Organization, useMay } from '../api/access.ts';
import { useList } from '../api/list.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { ListView } from '../components/list-view.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty } from '../components/states-of-loading.tsx';
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
  const { query, rows, more } = useList(workspacesQuery(org));
  const ask = (what: 'workspace' | 'organization' | undefined) =>
    void navigate({ search: (old) => ({ ...old, new: what }), replace: true });
  const reread = () => invalidate('/organizations/{org}/workspaces', '/me/access');
  return (
    <>
      <PageHead
        title="Workspaces"
        trail={<span>{name}</span>}
        actions={
          <>
            {mayCreateOrganization ? <Button onClick={() => ask('organization')}>New organization</Button> : null}
            {mayChange ? (
              <Button kind="primary" onClick={() => ask('workspace')}>
                <Plus size={14} />
                New workspace
              </Button>
            ) : null}
          </>
        }
      />
      <p className="max-w-160 px-6 pb-3 text-soft max-sm:px-4">
        A workspace has its own flows, runs, work pools and everything else. Grants say who may do what in it.
      </p>
      <ListView
        query={query}
        isEmpty={rows.length === 0}
        empty={
          <Empty
            title="No workspace that you may enter"
            action={mayChange ? <Button onClick={() => ask('workspace')}>Create a workspace</Button> : undefined}
          >
            {mayChange
              ? 'Clients need a workspace to work in.'
              : `Ask an administrator of ${name} for a role in a workspace.`}
          </Empty>
        }
      >
        <DataTable
          label="Workspaces"
          columns={columnsOf(organization)}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/workspaces/$id', params: { id }, search: { organization: org } })}
          onEnd={more}
        />
      </ListView>
      {isNew === 'workspace' && mayChange ? (
        <WorkspaceDialog
          org={org}
          workspace={undefined}
          onClose={() => ask(undefined)}
          onSaved={(id) => {
            void reread();
            void navigate({ to: '/workspaces/$id', params: { id }, search: { organization: org } });
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

function columnsOf({ id: organizationId, slug: org, workspaces }: Organization): readonly Column<Workspace>[] {
  const own = new Map(workspaces.map((one) => [one.id, one]));
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(9rem, 1fr)',
      line: 1,
      cell: ({ id, name }) => (
        <Link
          to="/workspaces/$id"
          params={{ id }}
          search={{ organization: org }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'handle',
      title: 'Handle',
      width: 'minmax(6rem, .6fr)',
      from: 480,
      cell: ({ handle }) => <span className="font-mono text-xs text-soft">{handle}</span>,
    },
    {
      id: 'description',
      title: 'Description',
      width: 'minmax(8rem, 1.6fr)',
      from: 880,
      cell: ({ description }) => <span className="text-soft">{description}</span>,
    },
    {
      id: 'default',
      title: 'Members may',
      width: '7rem',
      line: 2,
      cell: ({ defaultRole }) => defaultRoles.find(([role]) => role === (defaultRole ?? 'none'))?.[1],
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
