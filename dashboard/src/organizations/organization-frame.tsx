/** The frame of the pages of an organization. People without an organization see a sentence instead of the page. */
import type { ReactNode } from 'react';
import { type Organization, useAccess, useOrganization } from '../api/access.ts';
import { PageHead } from '../components/page.tsx';
import { Empty, Skeleton } from '../components/states-of-loading.tsx';
import { NotSignedIn } from './not-signed-in.tsx';

interface Props {
  readonly title: string;
  /** Slug in the address. */
  readonly organization: string | undefined;
  /** True if only administrators may see the page. */
  readonly isForAdministrators?: boolean;
  readonly children: (organization: Organization, mayChange: boolean) => ReactNode;
}

export function OrganizationFrame({ title, organization: slug, isForAdministrators = false, children }: Props) {
  const access = useAccess();
  const organization = useOrganization(slug);
  if (access === undefined) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={8} />
      </div>
    );
  }
  if (access.user === null) return <NotSignedIn title={title} />;
  if (organization === undefined) {
    return (
      <>
        <PageHead title={title} />
        <Empty title="You are in no organization">Ask an administrator for an invitation.</Empty>
      </>
    );
  }
  const isAdministrator = organization.role === 'admin';
  if (isForAdministrators && !isAdministrator) {
    return (
      <>
        <PageHead title={title} />
        <Empty title="You may not see this">
          Only administrators of {organization.name} see this page. Ask one of them to change your role.
        </Empty>
      </>
    );
  }
  return children(organization, isAdministrator);
}
