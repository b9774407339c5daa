/** A cause of failed requests to an MCP server, with its cure. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { InOrganization } from '../organizations/in-organization.tsx';
import { ofServer } from './cause.ts';
import { CauseFrame } from './cause-frame.tsx';
import { serverCauseQuery } from './queries.ts';

const route = getRouteApi('/inbox/server-cause/$id');

export function ServerCausePage() {
  const { organization } = route.useSearch();
  return (
    <InOrganization title="Cause of failures">
      {({ slug }) => <ServerCause org={organization ?? slug} />}
    </InOrganization>
  );
}

function ServerCause({ org }: { readonly org: string }) {
  const { id } = route.useParams();
  const query = useQuery(serverCauseQuery(org, id));
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  const { server, cure } = query.data;
  return (
    <CauseFrame cause={ofServer(query.data, org)}>
      <Section title="Cure">
        <p className="border-t border-line py-2">{cure}</p>
      </Section>
      <p>
        <Link
          to="/requests"
          search={{ server: server.slug, outcome: 'failed', span: '7d' }}
          className="text-accent hover:underline"
        >
          Failed requests to {server.name}
        </Link>
      </p>
    </CauseFrame>
  );
}
