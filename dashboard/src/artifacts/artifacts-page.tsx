/** The latest artifact of each key. */

import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRows } from '../api/list.ts';
import { Choice } from '../components/form/form-dialog.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { ListPage, NameFilter } from '../components/table/list-page.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { columns, pageOf } from './artifact-columns.tsx';
import { artifactsQuery } from './queries.ts';

const route = getRouteApi('/artifacts');

const types = [
  ['', 'All types'],
  ...['markdown', 'table', 'progress', 'image', 'result'].map((type) => [type, type] as const),
] as const;

export function ArtifactsPage() {
  const search = route.useSearch();
  const { q, type } = search;
  const navigate = useNavigate({ from: '/artifacts' });
  const list = useRows(artifactsQuery({ text: q, types: type ? [type] : undefined }), ({ artifacts }) => artifacts);
  const change = (part: typeof search) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <ListPage
      title="Artifacts"
      filters={
        <>
          <NameFilter of="Artifacts" what="key" className="w-44" value={q} onChange={(text) => change({ q: text })} />
          <Choice
            label="Type"
            className="w-auto"
            value={type ?? ''}
            choices={types}
            onChange={(one) => change({ type: one || undefined })}
          />
        </>
      }
      list={list}
      columns={columns}
      pageOf={pageOf}
      filtered={{ nothing: 'No artifact', by: { q, type }, change }}
      empty={
        <Empty title="No artifacts yet">
          <p className="mb-3">Flows keep what people should read: text, tables, links, images, progress.</p>
          <Snippet title="A flow that makes one" text={EXAMPLE} />
        </Empty>
      }
    />
  );
}

const EXAMPLE = `from prefect import flow
from prefect.artifacts import create_markdown_artifact

@flow
def report():
    create_markdown_artifact("# Sales\\n\\n**42** orders", key="sales")`;
