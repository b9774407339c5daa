import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { invalidate } from '../api/read.ts';
import { PageHead } from '../components/page.tsx';
import { Empty, Unread } from '../components/states-of-loading.tsx';
import { BlockForm } from './block-form.tsx';
import { blockTypeQuery, createBlock, schemaOf } from './queries.ts';

const route = getRouteApi('/blocks/catalog/$slug/create');

export function CreateBlockPage() {
  const { slug } = route.useParams();
  const navigate = useNavigate();
  const query = useQuery(blockTypeQuery(slug));
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  const { type, schema } = query.data;
  return (
    <>
      <PageHead
        title={`New ${type.name}`}
        trail={[
          ['Blocks', { to: '/blocks' }],
          ['Catalog', { to: '/blocks/catalog' }],
          [type.name, { to: '/blocks/catalog/$slug', params: { slug } }],
        ]}
      />
      {schema ? (
        <BlockForm
          schema={schemaOf(schema.fields)}
          initial={{}}
          isNamed
          action="Create"
          onSave={async (name, values) => {
            const id = await createBlock(name, type.id, schema.id, values);
            await invalidate('/block_documents/filter');
            await navigate({ to: '/blocks/block/$id', params: { id } });
          }}
        />
      ) : (
        <Empty title="This type has no schema">Register it again from the package that defines it.</Empty>
      )}
    </>
  );
}
