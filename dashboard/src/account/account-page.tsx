/** The page of the signed-in person: name and password, keys, connected clients, sessions. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useAccess } from '../api/access.ts';
import { PageHead } from '../components/page.tsx';
import { Skeleton } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { NotSignedIn } from '../organizations/not-signed-in.tsx';
import { Connections } from './connections.tsx';
import { OwnKeys } from './own-keys.tsx';
import { Profile } from './profile.tsx';
import { accountQuery } from './queries.ts';
import { ServerAccounts } from './server-accounts.tsx';
import { Sessions } from './sessions.tsx';

const route = getRouteApi('/account');

export function AccountPage() {
  const { tab = 'profile' } = route.useSearch();
  const navigate = useNavigate({ from: '/account' });
  const access = useAccess();
  const query = useQuery({ ...accountQuery, enabled: access?.user != null });
  if (access === undefined) return <Skeleton rows={8} />;
  if (access.user === null) return <NotSignedIn title="Account" />;
  return (
    <>
      <PageHead title="Account">{access.user.name ?? access.user.email}</PageHead>
      <Tabs
        value={tab}
        onChange={(id) => void navigate({ search: { tab: id === 'profile' ? undefined : id }, replace: true })}
        tabs={[
          { id: 'profile', title: 'Profile', content: () => <Profile query={query} /> },
          { id: 'keys', title: 'Keys', content: () => <OwnKeys /> },
          { id: 'clients', title: 'Connected clients', content: () => <Connections /> },
          { id: 'servers', title: 'Accounts at servers', content: () => <ServerAccounts /> },
          {
            id: 'sessions',
            title: 'Sessions',
            count: query.data?.sessions.length,
            content: () => <Sessions query={query} />,
          },
        ]}
      />
    </>
  );
}
