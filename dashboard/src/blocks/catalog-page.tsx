/** The types of blocks that can be made here. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type Column, DataTable } from '../components/data-table.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { type BlockType, blockTypesQuery } from './queries.ts';

const route = getRouteApi('/blocks/catalog');

const columns: readonly Column<BlockType>[] = [
  {
    id: 'name',
    title: 'Type',
    width: 'minmax(10rem, 1fr)',
    line: 1,
    cell: ({ name, slug }) => (
      <Link to="/blocks/catalog/$slug" params={{ slug }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'description',
    title: 'What it keeps',
    width: 'minmax(10rem, 3fr)',
    line: 2,
    cell: ({ description }) => (
      <span className="text-soft" title={description ?? undefined}>
        {description?.split('\n')[0]}
      </span>
    ),
  },
];

export function CatalogPage() {
  const { name = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/blocks/catalog' });
  const query = useQuery(blockTypesQuery);
  const wanted = name.toLowerCase();
  const rows = query.data?.filter((type) => type.name.toLowerCase().includes(wanted)) ?? [];
  return (
    <>
      <PageHead title="Block types" trail={<Link to="/blocks">Blocks</Link>} />
      <div className="px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Types whose name contains"
          placeholder="Name contains"
          className="field w-56"
          defaultValue={name}
          onChange={(event) => void navigate({ search: { name: event.target.value || undefined }, replace: true })}
        />
      </div>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={16} />
        </div>
      ) : !query.data ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length === 0 ? (
        <Empty title="No type has this name">
          Types of a package are registered with{' '}
          <code className="font-mono text-xs">prefect block register -m package</code>.
        </Empty>
      ) : (
        <DataTable
          label="Block types"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ slug }) => void navigate({ to: '/blocks/catalog/$slug', params: { slug } })}
        />
      )}
    </>
  );
}
