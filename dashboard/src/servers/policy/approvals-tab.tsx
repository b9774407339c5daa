/** The tools in their approved and their current form. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Unread } from '../../components/states-of-loading.tsx';
import { CodeBlock } from '../../components/text/code-block.tsx';
import { useAction } from '../../components/use-action.ts';
import { Some } from '../../components/use-some.tsx';
import { StateLabel } from '../../design/state-mark.tsx';
import { setApprovals } from '../actions.ts';
import { approvalsQuery, type ToolApprovals } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';

type Tool = ToolApprovals['tools'][number];

const labels = {
  approved: ['COMPLETED', 'Approved'],
  changed: ['FAILED', 'Changed, held back'],
  new: ['PENDING', 'New, held back'],
  gone: ['CANCELLED', 'No longer offered'],
} as const;

export function ApprovalsTab({ organization, view }: TabProps) {
  const { server } = view;
  const path = { org: organization.slug, server: server.slug };
  const query = useQuery(approvalsQuery(path));
  const { run, isBusy, problem } = useAction();
  const { refetch } = query;
  // Asking the server again may change its tools.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked again when the server was
  useEffect(() => void refetch(), [server.manifestReadAt, refetch]);
  if (!query.data) return <Unread of={query} rows={6} />;
  const { enabled, manifestVersion, tools } = query.data;
  const mayApprove = server.role === 'admin' && !isBusy;
  const save = (isEnabled: boolean, approve: readonly Tool[]) =>
    run(async () => {
      await setApprovals(path, { enabled: isEnabled, manifestVersion, approve: approve.map(({ name }) => name) });
      await invalidate('/organizations/{org}/servers/{server}/tool-approvals');
    });
  const offered = tools.filter((tool) => tool.offered !== null);
  const held = enabled ? tools.filter(({ state }) => state === 'changed' || state === 'new') : [];
  return (
    <div className="flex flex-col gap-8">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-60 flex-1 text-soft">
          {enabled
            ? 'Callers see and use only tools that are as they were approved.'
            : 'Tools are not held back. A server may change what a tool says and does at any time.'}
        </p>
        {enabled ? (
          <>
            {held.length > 1 ? (
              <Button disabled={!mayApprove} onClick={() => void save(true, held)}>
                Approve all {held.length}
              </Button>
            ) : null}
            <Button disabled={!mayApprove} onClick={() => void save(false, [])}>
              Hold back nothing
            </Button>
          </>
        ) : (
          <Button kind="primary" disabled={!mayApprove} onClick={() => void save(true, offered)}>
            Hold back tools that change
          </Button>
        )}
      </div>
      <ProblemNote text={problem} />
      {enabled ? (
        <Section title="Tools" aside={`${tools.length - held.length} of ${tools.length} approved`}>
          <ul className="border-t border-line">
            <Some of={[...held, ...tools.filter((tool) => !held.includes(tool))]} step={20} as="li">
              {(tool) => (
                <ToolLine key={tool.name} tool={tool} mayApprove={mayApprove} approve={() => void save(true, [tool])} />
              )}
            </Some>
          </ul>
        </Section>
      ) : null}
    </div>
  );
}

interface ToolLineProps {
  readonly tool: Tool;
  readonly mayApprove: boolean;
  readonly approve: () => void;
}

function ToolLine({ tool, mayApprove, approve }: ToolLineProps) {
  const { name, state, approved, offered } = tool;
  const [kind, label] = labels[state];
  const isHeld = state === 'changed' || state === 'new';
  return (
    <li className="border-b border-line py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="min-w-48 flex-1 truncate font-mono text-xs" title={name}>
          {name}
        </span>
        <StateLabel kind={kind} name={label} />
        {isHeld ? (
          <Button disabled={!mayApprove} aria-label={`Approve ${name}`} onClick={approve}>
            Approve
          </Button>
        ) : null}
      </div>
      {isHeld ? (
        <div className="mt-2 grid gap-3 lg:grid-cols-2">
          {approved ? <Definition title="As approved" json={approved} /> : null}
          {offered ? <Definition title="As offered now" json={offered} /> : null}
        </div>
      ) : null}
    </li>
  );
}

function Definition({ title, json }: { readonly title: string; readonly json: unknown }) {
  return (
    <div className="min-w-0">
      <p className="mb-0.5 text-xs text-quiet">{title}</p>
      <CodeBlock label={title} text={JSON.stringify(json, undefined, 2)} isWrapped />
    </div>
  );
}
