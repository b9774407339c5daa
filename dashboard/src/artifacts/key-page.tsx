/** The versions of one key: shows the latest, with links to earlier ones. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from '../components/button.tsx';
import { PageHead, Section } from '../components/page.tsx';
import { Empty, isFirstRead, Skeleton, Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { Progress } from './artifact-body.tsx';
import { ArtifactContent, ArtifactFacts, DeleteArtifact } from './artifact-page.tsx';
import { artifactQuery, artifactsQuery } from './queries.ts';

const route = getRouteApi('/artifacts/key/$key');

export function KeyPage() {
  const { key } = route.useParams();
  const { version } = route.useSearch();
  const navigate = useNavigate({ from: '/artifacts/key/$key' });
  const query = useInfiniteQuery(artifactsQuery({ key }));
  const versions = useMemo(() => query.data?.pages.flatMap(({ artifacts }) => artifacts) ?? [], [query.data]);
  const shown = version ?? versions[0]?.id;
  const latest = useQuery({
    ...artifactQuery(shown ?? ''),
    enabled: shown !== undefined,
    placeholderData: keepPreviousData,
  });
  const { data: artifact } = latest;
  if (!query.data) return <Unread of={query} rows={10} isPage />;
  if (isFirstRead(latest)) return <Unread of={latest} rows={10} isPage />;
  if (versions.length === 0) {
    return (
      <>
        <PageHead title={key} trail={[['Artifacts', { to: '/artifacts', search: {} }]]} isRead={false} />
        <Empty
          title={`No artifact has the key ${key}`}
          action={<Button onClick={() => void navigate({ to: '/artifacts', search: {} })}>All artifacts</Button>}
        >
          It may have been deleted, or no flow has made it yet.
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageHead
        title={key}
        trail={[['Artifacts', { to: '/artifacts', search: {} }]]}
        actions={
          artifact ? (
            <DeleteArtifact
              artifact={artifact}
              onDeleted={() => navigate({ search: { version: undefined }, replace: true })}
            />
          ) : null
        }
      />
      {artifact ? <ArtifactFacts artifact={artifact} /> : null}
      <div className="mt-4 in-order grid gap-x-8 gap-y-6 px-6 max-sm:px-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0">{artifact ? <ArtifactContent artifact={artifact} /> : <Skeleton rows={6} />}</div>
        <Section title="Versions">
          <ol>
            {versions.map(({ id, created, flow_run_name, progress }) => (
              <li key={id}>
                <Link
                  to="/artifacts/key/$key"
                  params={{ key }}
                  search={{ version: id === versions[0]?.id ? undefined : id }}
                  replace
                  aria-current={id === shown ? 'true' : undefined}
                  className="ruled flex h-(--row) items-center gap-3 px-2 hover:bg-hover aria-[current]:bg-selected"
                >
                  <Moment time={created} />
                  <span className="min-w-0 flex-1 truncate text-right text-soft">
                    {progress === null ? flow_run_name : <Progress value={progress} />}
                  </span>
                </Link>
              </li>
            ))}
          </ol>
          {query.hasNextPage ? (
            <Button className="mt-2" onClick={() => void query.fetchNextPage()}>
              Earlier versions
            </Button>
          ) : null}
        </Section>
      </div>
    </>
  );
}
