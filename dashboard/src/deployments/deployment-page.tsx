/** One deployment. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { buttonClass } from '../components/button.tsx';
import { PageHead } from '../components/page.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { deploymentQuery } from './queries.ts';

const route = getRouteApi('/deployments/deployment/$id');

export function DeploymentPage() {
  const { id } = route.useParams();
  const query = useQuery(deploymentQuery(id));
  if (query.isPending) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={8} />
      </div>
    );
  }
  if (!query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <PageHead
      title={query.data.name}
      actions={
        <Link to="/deployments/deployment/$id/run" params={{ id }} className={buttonClass('primary')}>
          Run
        </Link>
      }
    />
  );
}
