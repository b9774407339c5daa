/** Creates a work pool of one of the types that the server knows. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { invalidate } from '../api/read.ts';
import { type Crumb, PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { createPool } from './actions.ts';
import { PoolForm } from './pool-form.tsx';
import { type PoolType, poolTypesQuery } from './queries.ts';

const route = getRouteApi('/work-pools/create');

const typesCrumb: Crumb = ['Types', { to: '/work-pools/create', search: {} }];

export function NewPoolPage() {
  const { type: chosen } = route.useSearch();
  const query = useQuery(poolTypesQuery);
  const { data: types } = query;
  const type = types?.find((one) => one.type === chosen);
  return (
    <>
      <PageHead
        title={type ? `New work pool: ${type.display_name}` : 'New work pool'}
        trail={[['Work pools', { to: '/work-pools' }], ...(type ? [typesCrumb] : [])]}
      />
      {type ? <Create type={type} /> : types ? <Types types={types} /> : <Unread of={query} rows={8} isPage />}
    </>
  );
}

function Types({ types }: { readonly types: readonly PoolType[] }) {
  return (
    <div className="max-w-200 px-6 max-sm:px-4">
      <p className="pb-3 text-soft">Where the runs of its deployments happen:</p>
      <ul className="border-t border-line">
        {types.map(({ type, display_name, description, is_beta }) => (
          <li key={type} className="ruled hover:bg-hover">
            <Link to="/work-pools/create" search={{ type }} className="block py-2">
              <span className="font-medium">{display_name}</span>
              {is_beta ? <span className="ml-2 text-xs text-quiet">beta</span> : null}
              <span className="block text-soft">{description}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Create({ type }: { readonly type: PoolType }) {
  const navigate = useNavigate();
  return (
    <PoolForm
      action="Create"
      template={type.default_base_job_configuration}
      onCancel={() => void navigate({ to: '/work-pools' })}
      onSave={async ({ name, description, limit, template }) => {
        await createPool({
          name,
          description,
          type: type.type,
          concurrency_limit: limit,
          base_job_template: template,
        });
        await invalidate('/views/work_pools');
        await navigate({ to: '/work-pools/work-pool/$name', params: { name } });
      }}
    />
  );
}
