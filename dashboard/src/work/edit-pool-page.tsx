/** Changes a work pool: its description, its limit and its base job template. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { invalidate } from '../api/read.ts';
import { PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { updatePool } from './actions.ts';
import { PoolForm } from './pool-form.tsx';
import { poolViewQuery } from './queries.ts';

const route = getRouteApi('/work-pools/work-pool/$name/edit');

export function EditPoolPage() {
  const { name } = route.useParams();
  const navigate = useNavigate();
  const query = useQuery(poolViewQuery(name));
  const { data } = query;
  if (!data) return <Unread of={query} rows={8} isPage />;
  const back = () => navigate({ to: '/work-pools/work-pool/$name', params: { name } });
  return (
    <>
      <PageHead title={`Edit ${name}`} trail={[[name, { to: '/work-pools/work-pool/$name', params: { name } }]]} />
      <PoolForm
        action="Save"
        pool={data.work_pool}
        template={data.work_pool.base_job_template ?? {}}
        onCancel={() => void back()}
        onSave={async ({ description, limit, template }) => {
          await updatePool(name, { description, concurrency_limit: limit, base_job_template: template });
          await invalidate('/views/work_pools/{name}', '/work_pools/{name}');
          await back();
        }}
      />
    </>
  );
}
