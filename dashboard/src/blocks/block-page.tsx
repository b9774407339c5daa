/** One block: its values with masked secrets, the code that loads it, and its uses. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { ObjectMenu } from '../components/object-menu.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Skeleton, Unread } from '../components/states-of-loading.tsx';
import { CodeBlock } from '../components/text/code-block.tsx';
import { Copy, Id } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { MOST_TO_READ, shortened } from '../components/text/shortened.ts';
import { Snippet } from '../components/text/snippet.tsx';
import { useAction } from '../components/use-action.ts';
import { Some } from '../components/use-some.tsx';
import { usePageActions } from '../shell/page-actions.ts';
import { blockCommands } from './commands.ts';
import { type BlockUse, blockQuery, blockUsesQuery, deleteBlock, exampleOf, HIDDEN, readSecrets } from './queries.ts';

const route = getRouteApi('/blocks/block/$id');

export function BlockPage() {
  const { id } = route.useParams();
  const query = useQuery(blockQuery(id));
  const { data: used } = useQuery(blockUsesQuery(id));
  const mayReadSecrets = useMay('secrets:read');
  // Kept only while the dialog is open.
  const [revealed, setRevealed] = useState<string>();
  const { run, problem } = useAction();
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  const block = query.data;
  const { data = {}, block_type: type, block_schema: schema } = block;
  const name = block.name ?? 'Anonymous block';
  const hasSecrets = JSON.stringify(data).includes(HIDDEN);
  const example = exampleOf(type?.code_example, name);
  const reveal = () => void run(async () => setRevealed(JSON.stringify(await readSecrets(id), undefined, 2)));
  return (
    <>
      <PageHead
        title={name}
        trail={[['Blocks', { to: '/blocks' }]]}
        actions={<Actions id={id} name={name} uses={used?.uses.length ?? 0} />}
      />
      <Facts
        className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-2 px-6 pb-5 max-sm:px-4"
        of={{
          Type: type ? (
            <Link to="/blocks/catalog/$slug" params={{ slug: type.slug }} className="hover:underline">
              {type.name}
            </Link>
          ) : (
            '–'
          ),
          Capabilities: schema?.capabilities?.join(', ') || '–',
          Created: <Moment time={block.created} />,
          Updated: <Moment time={block.updated} />,
          Id: <Id id={id} />,
        }}
      />
      <div className="grid items-start gap-x-10 gap-y-8 px-6 max-sm:px-4 xl:grid-cols-2">
        <Section
          title="Values"
          aside={hasSecrets && mayReadSecrets ? <Button onClick={reveal}>Show the secrets</Button> : undefined}
          className="min-w-0"
        >
          <Values data={data} />
          <ProblemNote text={problem} className="pt-2" />
        </Section>
        <div className="flex min-w-0 flex-col gap-8">
          <Uses uses={used?.uses} isResultStorage={used?.is_result_storage ?? false} />
          {example ? <Snippet title="In a program" text={example} /> : null}
        </div>
      </div>
      <Dialog
        isOpen={revealed !== undefined}
        onClose={() => setRevealed(undefined)}
        title={`Values of ${name}`}
        width="wide"
        actions={<Button onClick={() => setRevealed(undefined)}>Close</Button>}
      >
        {revealed === undefined ? null : (
          <div className="flex items-start gap-2">
            <CodeBlock label="Values with their secrets" text={revealed} isWrapped className="min-w-0 flex-1" />
            <Copy text={revealed} what="values" />
          </div>
        )}
      </Dialog>
    </>
  );
}

/** `uses` are the objects that would fail without the block. */
function Actions({ id, name, uses }: { readonly id: string; readonly name: string; readonly uses: number }) {
  const navigate = useNavigate();
  const mayChange = useMay('blocks:write');
  const [asked, setAsked] = useState<'commands' | 'delete'>();
  usePageActions([
    mayChange && {
      title: 'Edit this block',
      act: () => void navigate({ to: '/blocks/block/$id/edit', params: { id } }),
    },
    { title: 'This block as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this block…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      {mayChange ? (
        <>
          <Link to="/blocks/block/$id/edit" params={{ id }} className={buttonClass()}>
            Edit
          </Link>
          <Button kind="danger" onClick={() => setAsked('delete')}>
            Delete
          </Button>
        </>
      ) : null}
      <ObjectMenu
        id={id}
        commands={blockCommands(id, mayChange)}
        isShowingCommands={asked === 'commands'}
        onCommands={(isShown) => setAsked(isShown ? 'commands' : undefined)}
      />
      <Confirm
        isOpen={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        question={`Delete ${name}?`}
        action="Delete block"
        done={`Block ${name} deleted`}
        onConfirm={async () => {
          await deleteBlock(id);
          await navigate({ to: '/blocks' });
        }}
      >
        {uses > 0
          ? `${uses} ${uses === 1 ? 'object uses' : 'objects use'} it and will fail without it. `
          : 'Programs that load it by its name will fail. '}
        Its values are lost.
      </Confirm>
    </>
  );
}

function Values({ data }: { readonly data: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(data);
  if (entries.length === 0) return <p className="border-t border-line py-2 text-quiet">It has no values.</p>;
  return (
    <dl className="border-t border-line">
      <Some of={entries}>
        {([name, value]) => (
          <div
            key={name}
            className="ruled grid min-h-(--row) grid-cols-[minmax(0,1fr)_minmax(0,2fr)] items-center gap-x-4 py-1"
          >
            <dt className="truncate text-soft" title={shortened(name)}>
              {shortened(name)}
            </dt>
            <dd className="font-mono text-xs break-words whitespace-pre-wrap">
              {shortened(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2), MOST_TO_READ)}
            </dd>
          </div>
        )}
      </Some>
    </dl>
  );
}

const places: Readonly<Record<BlockUse['type'], readonly [string, (use: BlockUse) => string]>> = {
  block_document: ['Block', ({ id }) => `/blocks/block/${id}`],
  automation: ['Automation', ({ id }) => `/automations/automation/${id}`],
  deployment: ['Deployment', ({ id }) => `/deployments/deployment/${id}`],
  work_pool: ['Work pool', ({ name }) => `/work-pools/work-pool/${encodeURIComponent(name)}`],
};

function Uses({
  uses,
  isResultStorage,
}: {
  readonly uses: readonly BlockUse[] | undefined;
  readonly isResultStorage: boolean;
}) {
  return (
    <Section title="Used by">
      {isResultStorage ? (
        <p className="border-t border-line py-2">Flows that name no storage keep their results with it.</p>
      ) : null}
      {uses === undefined ? (
        <Skeleton rows={2} />
      ) : uses.length === 0 ? (
        isResultStorage ? null : (
          <p className="border-t border-line py-2 text-quiet">
            Nothing on this server mentions it. Programs may load it by its name.
          </p>
        )
      ) : (
        <ul className="border-t border-line">
          {uses.map((use) => {
            const [title, pathOf] = places[use.type];
            return (
              <li key={use.id} className="ruled grid min-h-(--row) grid-cols-[8rem_minmax(0,1fr)] items-center gap-x-4">
                <span className="text-quiet">{title}</span>
                <Link to={pathOf(use)} className="truncate hover:underline">
                  {use.name}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
