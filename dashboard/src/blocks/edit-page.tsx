import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { invalidate } from '../api/read.ts';
import { notify } from '../components/notify/notify.ts';
import { PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { BlockForm } from './block-form.tsx';
import { blockQuery, schemaOf, updateBlock, valuesOf } from './queries.ts';

const route = getRouteApi('/blocks/block/$id/edit');

export function EditBlockPage() {
  const { id } = route.useParams();
  const navigate = useNavigate();
  // Reading again would replace the values that a person is editing.
  const query = useQuery({ ...blockQuery(id), meta: {}, staleTime: Number.POSITIVE_INFINITY });
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  const block = query.data;
  const name = block.name ?? 'block';
  return (
    <>
      <PageHead
        title={`Edit ${name}`}
        trail={[
          ['Blocks', { to: '/blocks' }],
          [name, { to: '/blocks/block/$id', params: { id } }],
        ]}
      />
      <p className="px-6 pb-4 text-soft max-sm:px-4">Secrets are masked. One that you do not change stays as it is.</p>
      <BlockForm
        schema={schemaOf(block.block_schema?.fields)}
        initial={valuesOf(block)}
        isNamed={false}
        action="Save"
        onSave={async (_name, values) => {
          await updateBlock(id, values);
          await invalidate('/block_documents/{id}');
          await navigate({ to: '/blocks/block/$id', params: { id } });
          notify('Saved');
        }}
      />
    </>
  );
}
