/** One version of an artifact. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { queries } from '../api/query-client.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Description } from '../components/markdown/description.tsx';
import { Facts, PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { ArtifactBody } from './artifact-body.tsx';
import { type Artifact, artifactQuery, deleteArtifact } from './queries.ts';

const route = getRouteApi('/artifacts/artifact/$id');

export function ArtifactPage() {
  const { id } = route.useParams();
  const query = useQuery(artifactQuery(id));
  const navigate = useNavigate();
  if (!query.data) return <Unread of={query} rows={10} isPage />;
  const { data: artifact } = query;
  const { key } = artifact;
  return (
    <>
      <PageHead
        title={key ?? 'An artifact without a key'}
        trail={[['Artifacts', { to: '/artifacts', search: {} }]]}
        actions={
          <>
            {key ? (
              <Link to="/artifacts/key/$key" params={{ key }} className={buttonClass()}>
                All versions
              </Link>
            ) : null}
            <DeleteArtifact
              artifact={artifact}
              onDeleted={() =>
                key
                  ? navigate({ to: '/artifacts/key/$key', params: { key } })
                  : navigate({ to: '/artifacts', search: {} })
              }
            />
          </>
        }
      />
      <ArtifactFacts artifact={artifact} />
      <div className="mt-4 px-6 max-sm:px-4">
        <ArtifactContent artifact={artifact} />
      </div>
    </>
  );
}

export function ArtifactFacts({ artifact }: { readonly artifact: Artifact }) {
  const { id, type, created, flow_run_id, task_run_id } = artifact;
  return (
    <Facts
      className="flex flex-wrap items-start gap-x-6 gap-y-2 px-6 max-sm:px-4"
      of={{
        Type: type ?? 'unknown',
        Created: <Moment time={created} />,
        By: flow_run_id ? (
          <Link to="/runs/flow-run/$id" params={{ id: flow_run_id }} className="text-accent hover:underline">
            its flow run
          </Link>
        ) : undefined,
        In: task_run_id ? (
          <Link to="/runs/task-run/$id" params={{ id: task_run_id }} className="text-accent hover:underline">
            its task run
          </Link>
        ) : undefined,
        Id: id ? <Id id={id} /> : undefined,
      }}
    />
  );
}

export function ArtifactContent({ artifact }: { readonly artifact: Artifact }) {
  return (
    <>
      {artifact.description ? <Description text={artifact.description} className="mb-4" /> : null}
      <section aria-label="Content" className="rounded-panel border border-line bg-surface px-4 py-3">
        <ArtifactBody type={artifact.type} data={artifact.data} />
      </section>
    </>
  );
}

interface DeleteProps {
  readonly artifact: Artifact;
  readonly onDeleted: () => Promise<unknown>;
}

export function DeleteArtifact({ artifact: { id, key }, onDeleted }: DeleteProps) {
  const mayChange = useMay('artifacts:write');
  const [isAsked, ask] = useState(false);
  if (!mayChange || !id) return null;
  return (
    <>
      <Button kind="danger" onClick={() => ask(true)}>
        Delete…
      </Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => ask(false)}
        question={key ? `Delete this version of ${key}?` : 'Delete this artifact?'}
        action="Delete the artifact"
        onConfirm={async () => {
          await deleteArtifact(id);
          queries.removeQueries({ queryKey: artifactQuery(id).queryKey });
          await invalidate('/views/artifacts');
          await onDeleted();
        }}
      >
        {key ? 'Other versions stay; the previous one becomes the newest. ' : ''}This cannot be undone.
      </Confirm>
    </>
  );
}
