/** The frame of pages about MCP servers, which belong to an organization: they require a signed-in member. */
import type { ReactNode } from 'react';
import { type Organization, useAccess } from '../api/access.ts';
import { firstAdministrator } from '../api/command.ts';
import { serverFacts } from '../api/server-facts.ts';
import { buttonClass } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Skeleton } from '../components/states-of-loading.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { signInAddress } from '../shell/sign-in/sign-in.ts';

interface Props {
  /** Title of the page until the organization is known. */
  readonly title: string;
  readonly children: (organization: Organization) => ReactNode;
}

export function InOrganization({ title, children }: Props) {
  const access = useAccess();
  if (!access) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={8} />
      </div>
    );
  }
  const organization = access.organizations.find(({ id }) => id === access.organizationId) ?? access.organizations[0];
  if (organization) return children(organization);
  return (
    <>
      <PageHead title={title} />
      {access.user ? (
        <Empty title="You are not a member of an organization">
          MCP servers belong to organizations. Ask an administrator for an invitation.
        </Empty>
      ) : serverFacts.hasAccounts ? (
        <Empty
          title={`Sign in to see ${title.toLowerCase()}`}
          action={
            <a className={buttonClass('primary')} href={signInAddress()}>
              Sign in
            </a>
          }
        >
          MCP servers belong to organizations, and only members see them.
        </Empty>
      ) : (
        <Empty title="MCP servers need an account">
          <p className="mb-4">
            They belong to an organization with people in it. Open the link that the start of the server printed, or
            create the first administrator with this command.
          </p>
          <Snippet title="On the machine of the server" text={firstAdministrator} />
        </Empty>
      )}
    </>
  );
}
