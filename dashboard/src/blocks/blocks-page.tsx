/** Configuration and credentials that programs load by name. */

import { getRouteApi, Link, linkOptions, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMay } from '../api/access.ts';
import { useRows } from '../api/list.ts';
import { buttonClass } from '../components/button.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { momentColumn, nameColumn, textColumn } from '../components/table/columns.tsx';
import type { Column } from '../components/table/data-table.tsx';
import { ListPage, NameFilter, SetFilter } from '../components/table/list-page.tsx';
import { type BlockDocument, blocksQuery } from './queries.ts';

const route = getRouteApi('/blocks');

const pageOf = ({ id }: BlockDocument) => linkOptions({ to: '/blocks/block/$id', params: { id } });

const columns: readonly Column<BlockDocument>[] = [
  nameColumn('Block', ({ name }) => name, pageOf, { width: 'minmax(9rem, 1fr)' }),
  {
    id: 'type',
    title: 'Type',
    width: 'minmax(8rem, 1fr)',
    line: 2,
    cell: ({ block_type, block_type_name }) => (
      <Link
        from="/blocks"
        to="/blocks"
        search={(old) => ({ ...old, type: block_type?.slug })}
        className="text-soft hover:underline"
        title="Only blocks of this type"
      >
        {block_type_name}
      </Link>
    ),
  },
  textColumn('can', 'Capabilities', ({ block_schema }) => block_schema?.capabilities?.join(', '), {
    width: 'minmax(8rem, 1.4fr)',
    from: 760,
  }),
  momentColumn('updated', 'Updated', ({ updated }) => updated, { line: 2 }),
];

export function BlocksPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/blocks' });
  const mayChange = useMay('blocks:write');
  const list = useRows(blocksQuery(search), (page) => page);
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const newLink = (
    <Link to="/blocks/catalog" className={buttonClass('primary')}>
      <Plus size={14} />
      New block
    </Link>
  );
  return (
    <ListPage
      title="Blocks"
      actions={mayChange ? newLink : null}
      filters={
        <>
          <NameFilter of="Blocks" value={search.name} onChange={(name) => change({ name })} />
          <SetFilter name="type" value={search.type} onRemove={() => change({ type: undefined })} />
        </>
      }
      list={list}
      columns={columns}
      pageOf={pageOf}
      filtered={{ nothing: 'No block', by: { name: search.name, type: search.type }, change }}
      empty={
        <Empty title="No blocks yet" action={mayChange ? newLink : null}>
          A block keeps configuration or a credential under a name, so that programs load it instead of holding it.
        </Empty>
      }
    />
  );
}
