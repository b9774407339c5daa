/** One workspace: its address, its settings, and the access to it. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../api/access.ts';
import { queries } from '../api/query-client.ts';
import { invalidate } from '../api/read.ts';
import { basePath } from '../api/server-facts.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { titleOf } from '../components/form/form-dialog.tsx';
import { MenuItem, MoreMenu } from '../components/menu.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { Empty, Unread } from '../components/states-of-loading.tsx';
import { Copy, Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { OrganizationFrame } from '../organizations/organization-frame.tsx';
import { addressOfWorkspace } from '../shell/workspace-switcher.tsx';
import { Grants } from './grants.tsx';
import { defaultRoles, deleteWorkspace, type Workspace, workspaceQuery } from './queries.ts';
import { WorkspaceDialog } from './workspace-dialog.tsx';

const route = getRouteApi('/workspaces/$id');

export function WorkspacePage() {
  const { id } = route.useParams();
  const { organization: slug } = route.useSearch();
  return (
    <OrganizationFrame title="Workspace" organization={slug}>
      {(organization) => <OneWorkspace organization={organization} id={id} />}
    </OrganizationFrame>
  );
}

function OneWorkspace({ organization, id }: { readonly organization: Organization; readonly id: string }) {
  const query = useQuery(workspaceQuery(organization.slug, id));
  const { data: workspace } = query;
  if (!workspace) return <Unread of={query} rows={8} isPage />;
  const own = organization.workspaces.find((one) => one.id === id);
  const isDefault = own?.isDefault ?? false;
  const mayAdminister = own?.role === 'admin';
  const api = isDefault ? '/api' : `/api/accounts/${organization.id}/workspaces/${id}`;
  const address = `${location.origin}${basePath}${api}`;
  return (
    <>
      <PageHead
        title={workspace.name}
        trail={[
          ['Workspaces', { to: '/workspaces', search: { organization: organization.slug } }],
          [organization.name],
        ]}
        actions={
          <>
            <a href={addressOfWorkspace(organization.id, { id, isDefault })} className={buttonClass()}>
              Open
            </a>
            {mayAdminister ? <Actions organization={organization} workspace={workspace} isDefault={isDefault} /> : null}
          </>
        }
      />
      <Facts
        className="flex flex-wrap gap-x-6 gap-y-2 px-6 max-sm:px-4"
        of={{
          Handle: <span className="font-mono text-xs">{workspace.handle}</span>,
          'Role of members': titleOf(defaultRoles, workspace.defaultRole ?? 'none'),
          Created: <Moment time={workspace.createdAt} />,
          Id: <Id id={workspace.id} />,
          PREFECT_API_URL: (
            <span className="inline-flex max-w-full items-center gap-1 font-mono text-xs" title={address}>
              <span className="truncate">{address}</span>
              <Copy text={address} what="address" />
            </span>
          ),
          Description: workspace.description ? workspace.description : undefined,
        }}
      />
      <Section title="Who may do what" className="mt-6 [&>div:first-child]:px-6 max-sm:[&>div:first-child]:px-4">
        {mayAdminister ? (
          <Grants organization={organization} workspace={workspace} />
        ) : (
          <Empty title="Only admins of the workspace see this">
            Your role here is {own?.role ?? 'none'}. An admin of the workspace or of {organization.name} can change it.
          </Empty>
        )}
      </Section>
    </>
  );
}

interface ActionsProps {
  readonly organization: Organization;
  readonly workspace: Workspace;
  readonly isDefault: boolean;
}

function Actions({ organization: { slug: org }, workspace, isDefault }: ActionsProps) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'change' | 'delete'>();
  const close = () => setAsked(undefined);
  const reread = () =>
    invalidate('/organizations/{org}/workspaces', '/organizations/{org}/workspaces/{id}', '/me/access');
  return (
    <>
      <Button onClick={() => setAsked('change')}>Edit</Button>
      {isDefault ? null : (
        <MoreMenu>
          <MenuItem isDangerous onSelect={() => setAsked('delete')}>
            Delete
          </MenuItem>
        </MoreMenu>
      )}
      {asked === 'change' ? (
        <WorkspaceDialog
          org={org}
          workspace={workspace}
          onClose={close}
          onSaved={() => {
            close();
            void reread();
          }}
        />
      ) : null}
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        question={`Delete the workspace ${workspace.name}?`}
        action="Delete workspace"
        name={workspace.handle}
        onConfirm={async () => {
          await deleteWorkspace(org, workspace.id);
          queries.removeQueries({ queryKey: workspaceQuery(org, workspace.id).queryKey });
          await navigate({ to: '/workspaces', search: { organization: org } });
          await reread();
        }}
      >
        All its flows, deployments, runs, logs, blocks, variables and events are deleted with it. Clients and workers of
        its address are refused. This cannot be undone.
      </Confirm>
    </>
  );
}
