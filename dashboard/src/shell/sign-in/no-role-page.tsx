/** Replaces a page of a workspace in which the person has no role. */
import type { Access } from '../../api/access.ts';
import { PageHead } from '../../components/page.tsx';
import { Empty } from '../../components/states-of-loading.tsx';
import { addressOfWorkspace } from '../workspace-switcher.tsx';

export function NoRolePage({ access: { organizations } }: { readonly access: Access }) {
  const choices = organizations.flatMap(({ id, name, workspaces }) =>
    workspaces.map((workspace) => ({ organizationId: id, organization: name, workspace })),
  );
  return (
    <>
      <PageHead title="No role" />
      <Empty title="You have no role in this workspace">
        <p>Ask an administrator of the workspace for a role.</p>
        {choices.length > 0 ? (
          <section aria-label="Your workspaces" className="mt-4">
            <h2 className="text-sm font-semibold text-ink">Your workspaces</h2>
            <ul className="mt-1">
              {choices.map(({ organizationId, organization, workspace }) => (
                <li key={workspace.id} className="ruled py-1.5">
                  <a href={addressOfWorkspace(organizationId, workspace)} className="text-accent hover:underline">
                    {organization} / {workspace.name}
                  </a>{' '}
                  <span className="text-quiet">{workspace.role}</span>
                </li>
              ))}
            </ul>
          </section>
        ) : (
          <p className="mt-4">You have no role in another workspace.</p>
        )}
      </Empty>
    </>
  );
}
