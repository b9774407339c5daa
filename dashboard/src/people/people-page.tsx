/** The people and programs of an organization. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { PageHead } from '../components/page.tsx';
import { Tabs } from '../components/tabs.tsx';
import { OrganizationFrame } from '../organizations/organization-frame.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { OrganizationKeys } from './organization-keys.tsx';
import { ServiceAccounts } from './service-accounts.tsx';

const route = getRouteApi('/people');

export function PeoplePage() {
  const { tab = 'members', organization: slug, name: wanted } = route.useSearch();
  const navigate = useNavigate({ from: '/people' });
  return (
    <OrganizationFrame title="People" organization={slug}>
      {({ slug: org, id, name, maxKeyAgeDays }, mayChange) => (
        <>
          <PageHead title="People" trail={[[name]]} />
          <Tabs
            value={mayChange ? tab : 'members'}
            onChange={(chosen) =>
              void navigate({
                search: (old) => ({ ...old, tab: chosen === 'members' ? undefined : chosen }),
                replace: true,
              })
            }
            tabs={[
              {
                id: 'members',
                title: 'Members',
                content: () => (
                  <Members
                    org={org}
                    mayChange={mayChange}
                    name={wanted}
                    onName={(part) => void navigate({ search: (old) => ({ ...old, name: part }), replace: true })}
                  />
                ),
              },
              ...(mayChange
                ? [
                    { id: 'invitations', title: 'Invitations', content: () => <Invitations org={org} /> },
                    {
                      id: 'service-accounts',
                      title: 'Service accounts',
                      content: () => <ServiceAccounts org={org} organizationId={id} />,
                    },
                    {
                      id: 'keys',
                      title: 'Keys',
                      content: () => <OrganizationKeys org={org} maxAgeDays={maxKeyAgeDays} />,
                    },
                  ]
                : []),
            ]}
          />
        </>
      )}
    </OrganizationFrame>
  );
}
