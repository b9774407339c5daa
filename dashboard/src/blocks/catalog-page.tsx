/** The types of blocks that can be made here. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions, useNavigate } from '@tanstack/react-router';
import { markdownExcerpt } from '../components/markdown/markdown-excerpt.ts';
import { Empty } from '../components/states-of-loading.tsx';
import { nameColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage, NameFilter } from '../components/table/list-page.tsx';
import { type BlockType, blockTypesQuery } from './queries.ts';

const route = getRouteApi('/blocks/catalog');

const pageOf = ({ slug }: BlockType) => linkOptions({ to: '/blocks/catalog/$slug', params: { slug } });

const columns: readonly Column<BlockType>[] = [
  nameColumn('Type', ({ name }) => name, pageOf, { width: 'minmax(10rem, 1fr)' }),
  {
    id: 'description',
    title: 'What it keeps',
    width: 'minmax(10rem, 3fr)',
    line: 2,
    cell: ({ description }) => (
      <span className="text-soft" title={description ?? undefined}>
        {description && markdownExcerpt(description)}
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
    <ListPage
      title="Block types"
      trail={[['Blocks', { to: '/blocks' }]]}
      filters={
        <NameFilter
          of="Types"
          value={name}
          onChange={(text) => void navigate({ search: { name: text }, replace: true })}
        />
      }
      list={{ query, rows }}
      columns={columns}
      pageOf={pageOf}
      empty={
        <Empty title="No type has this name">
          Types of a package are registered with{' '}
          <code className="font-mono text-xs">prefect block register -m package</code>.
        </Empty>
      }
    />
  );
}
