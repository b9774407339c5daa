/** Shows the organization and workspace of this page, with links to others. */
import { useNavigate } from '@tanstack/react-router';
import { Check, ChevronsUpDown } from 'lucide-react';
import { type Organization, useAccess } from '../api/access.ts';
import { basePath } from '../api/server-facts.ts';
import { workspace as shownWorkspace } from '../api/workspace.ts';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../components/menu.tsx';

type Workspace = Organization['workspaces'][number];

/** The address at which the pages of a workspace begin. */
export function addressOfWorkspace(organizationId: string, { id, isDefault }: Pick<Workspace, 'id' | 'isDefault'>) {
  return isDefault ? `${basePath}/` : `${basePath}/account/${organizationId}/workspace/${id}/`;
}

export function WorkspaceSwitcher() {
  const access = useAccess();
  const navigate = useNavigate();
  if (!access?.user) return null;
  const { organizations, workspaceId, permissions } = access;
  const organization = organizations.find(({ id }) => id === access.organizationId);
  const current = organization?.workspaces.find(({ id }) => id === workspaceId);
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="flex items-center gap-2 rounded-control px-2 py-1 text-left hover:bg-hover">
          <span className="min-w-0 flex-1">
            <span className="sr-only">Organization and workspace:</span>
            <span className="block truncate text-xs text-quiet">{organization?.name ?? 'No organization'}</span>
            <span className="block truncate font-medium">
              {current?.name ?? (shownWorkspace ? 'A workspace' : 'The workspace of /api')}
            </span>
          </span>
          <ChevronsUpDown size={14} className="text-quiet" aria-hidden="true" />
        </button>
      }
    >
      {organizations.map(({ id, name, workspaces }) => (
        <MenuGroup key={id} title={name}>
          {workspaces.map((one) => (
            <MenuItem key={one.id} onSelect={() => location.assign(addressOfWorkspace(id, one))}>
              <span className="flex items-center gap-2">
                <span className="w-4">{one.id === workspaceId ? <Check size={14} aria-label="Shown" /> : null}</span>
                <span className="min-w-0 flex-1 truncate">{one.name}</span>
                <span className="text-xs text-quiet">{one.role}</span>
              </span>
            </MenuItem>
          ))}
          {workspaces.length === 0 ? (
            <MenuItem
              onSelect={() => void navigate({ to: '/workspaces', search: { organization: slugOf(access, id) } })}
            >
              <span className="pl-6 text-quiet">No workspace yet</span>
            </MenuItem>
          ) : null}
        </MenuGroup>
      ))}
      <MenuSeparator />
      {organizations.some(({ role }) => role === 'admin') ? (
        <MenuItem onSelect={() => void navigate({ to: '/workspaces', search: { new: 'workspace' } })}>
          New workspace
        </MenuItem>
      ) : null}
      {permissions.includes('organizations:create') ? (
        <MenuItem onSelect={() => void navigate({ to: '/workspaces', search: { new: 'organization' } })}>
          New organization
        </MenuItem>
      ) : null}
    </Menu>
  );
}

function slugOf({ organizations }: { readonly organizations: readonly Organization[] }, wanted: string) {
  return organizations.find(({ id }) => id === wanted)?.slug;
}
