/** The causes of failures, open, muted or resolved. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useOrganization } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, isFirstRead, Unread } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { inOrder, ofFlow, ofServer, type Shelf } from './cause.ts';
import { CauseList } from './cause-list.tsx';
import { causesQuery, serverCausesQuery } from './queries.ts';

const route = getRouteApi('/inbox');

const shelves: readonly (readonly [Shelf, string, string])[] = [
  ['open', 'Open', 'Nothing has failed that is neither muted nor resolved'],
  ['muted', 'Muted', 'No cause is muted'],
  ['resolved', 'Resolved', 'No cause is resolved'],
];

export function InboxPage() {
  const { list = 'open' } = route.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="Inbox" trail={[['Home', { to: '/' }]]}>
        Causes of failures
      </PageHead>
      <Tabs
        value={list}
        onChange={(id) =>
          void navigate({ to: '/inbox', search: { list: id === 'open' ? undefined : (id as 'muted') } })
        }
        tabs={shelves.map(([id, title, none]) => ({ id, title, content: () => <Causes shelf={id} none={none} /> }))}
      />
    </>
  );
}

function Causes({ shelf, none }: { readonly shelf: Shelf; readonly none: string }) {
  const org = useOrganization(undefined)?.slug;
  const query = useInfiniteQuery(causesQuery(shelf));
  const ofServers = useQuery({ ...serverCausesQuery(org ?? '', shelf), enabled: org !== undefined });
  if (!query.data) return <Unread of={query} rows={8} />;
  if (isFirstRead(ofServers)) return <Unread of={ofServers} rows={8} />;
  const causes = [
    ...query.data.pages.flatMap((page) => page.causes.map(ofFlow)),
    ...(ofServers.data?.items ?? []).map((cause) => ofServer(cause, org ?? '')),
  ];
  if (causes.length === 0) {
    return (
      <Empty title={none}>
        Failures of flow runs and of MCP servers are sorted by their causes, and stay here when their runs are deleted.
      </Empty>
    );
  }
  return (
    <>
      <CauseList causes={inOrder(causes)} />
      {query.hasNextPage ? (
        <Button className="my-4" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </>
  );
}
