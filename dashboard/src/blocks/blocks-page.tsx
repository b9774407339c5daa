/** Configuration and credentials that programs load by name. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { useMemo } from 'react';
import { useMay } from '../api/access.ts';
import { useMore } from '../api/list.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page.tsx';
import { Empty, Failed, Skeleton } from '../components/states-of-loading.tsx';
import { type BlockDocument, blocksQuery } from './queries.ts';

const route = getRouteApi('/blocks');

const columns: readonly Column<BlockDocument>[] = [
  {
    id: 'name',
    title: 'Block',
    width: 'minmax(9rem, 1fr)',
    line: 1,
    cell: ({ id, name }) => (
      <Link to="/blocks/block/$id" params={{ id }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
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
  {
    id: 'can',
    title: 'Can',
    width: 'minmax(8rem, 1.4fr)',
    from: 760,
    cell: ({ block_schema }) => <span className="text-soft">{block_schema?.capabilities?.join(', ')}</span>,
  },
  { id: 'updated', title: 'Changed', width: '6rem', line: 2, cell: ({ updated }) => <Moment time={updated} /> },
];

export function BlocksPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/blocks' });
  const mayChange = useMay('blocks:write');
  const query = useInfiniteQuery(blocksQuery(search));
  const rows = useMemo(() => query.data?.pages.flat() ?? [], [query.data]);
  const more = useMore(query);
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const newLink = (
    <Link to="/blocks/catalog" className={buttonClass('primary')}>
      <Plus size={14} />
      New block
    </Link>
  );
  return (
    <>
      <PageHead title="Blocks" actions={mayChange ? newLink : null} />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-2 max-sm:px-4">
        <input
          data-filter
          type="search"
          aria-label="Blocks whose name contains"
          placeholder="Name contains"
          className="field w-56"
          defaultValue={search.name}
          onChange={(event) => change({ name: event.target.value || undefined })}
        />
        {search.type ? (
          <Button kind="quiet" title="Remove this filter" onClick={() => change({ type: undefined })}>
            <span className="text-quiet">type</span> {search.type} <X size={12} />
          </Button>
        ) : null}
      </div>
      {query.isPending ? (
        <div className="px-6">
          <Skeleton rows={8} />
        </div>
      ) : query.isError && rows.length === 0 ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : rows.length > 0 ? (
        <DataTable
          label="Blocks"
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/blocks/block/$id', params: { id } })}
          onEnd={more}
        />
      ) : search.name || search.type ? (
        <Empty
          title="No block matches these filters"
          action={<Button onClick={() => change({ name: undefined, type: undefined })}>Remove the filters</Button>}
        />
      ) : (
        <Empty title="No blocks yet" action={mayChange ? newLink : null}>
          A block keeps configuration or a credential under a name, so that programs load it instead of holding it.
        </Empty>
      )}
    </>
  );
}
