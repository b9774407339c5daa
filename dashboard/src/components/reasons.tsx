/** The reasons why something does not run, with advice. */
import { Link } from '@tanstack/react-router';
import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import type { components } from '../api/schema.gen.ts';
import { Copy } from './text/copy.tsx';
import { TextWithTimes } from './text/moment.tsx';

export type Reason = components['schemas']['FlowRunReason'];

const titles: Partial<Record<Reason['code'], string>> = {
  deployment_paused: 'Paused',
  schedule_inactive: 'Schedules paused',
  deployment_limit_full: 'Limit full',
  deployment_limit_zero: 'Limit is 0',
  work_queue_deleted: 'No work queue',
  work_pool_paused: 'Pool paused',
  work_queue_paused: 'Queue paused',
  work_pool_full: 'Pool full',
  work_queue_full: 'Queue full',
  no_worker: 'No worker',
  work_queue_not_polled: 'Not polled',
  deployment_not_served: 'Not served',
};

/** The first reason in two words, with its sentence on hover. */
export function Health({ reasons }: { readonly reasons: readonly Reason[] }) {
  const [first] = reasons;
  if (!first) return <span className="text-quiet">Ready</span>;
  return (
    <span
      className={`inline-flex items-center gap-1 ${first.blocks ? 'text-failed-text' : 'text-soft'}`}
      title={reasons.map(({ message }) => message).join('\n')}
    >
      <Mark blocks={first.blocks} />
      {titles[first.code] ?? 'Waiting'}
    </span>
  );
}

function Mark({ blocks }: { readonly blocks: boolean }) {
  return blocks ? (
    <CircleAlert size={13} className="shrink-0 text-failed" aria-hidden="true" />
  ) : (
    <Info size={13} className="shrink-0" aria-hidden="true" />
  );
}

interface Props {
  readonly reasons: readonly Reason[];
  /** File and function of the flow, for the command that serves it. */
  readonly entrypoint?: string | null | undefined;
}

export function Reasons({ reasons, entrypoint }: Props) {
  return (
    <ul className="flex flex-col gap-2">
      {reasons.map((reason) => (
        <li key={reason.code} className="flex gap-2">
          <span className="pt-0.5">
            <Mark blocks={reason.blocks} />
          </span>
          <div className="min-w-0">
            <p>
              <TextWithTimes text={reason.message} />
              {reason.holders && reason.holders.length > 0 ? (
                <span className="text-quiet">
                  {' '}
                  Held by {reason.holders.map(({ name }) => name ?? 'unknown').join(', ')}.
                </span>
              ) : null}
            </p>
            <Cure reason={reason} entrypoint={entrypoint} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The command or the page that helps; nothing if only time helps. */
function Cure({ reason, entrypoint }: { readonly reason: Reason; readonly entrypoint: string | null | undefined }) {
  const { code, resource } = reason;
  const name = resource?.name ?? '';
  const id = resource?.id ?? '';
  switch (code) {
    case 'no_worker':
      return <Command text={`prefect worker start --pool "${name}"`} />;
    case 'work_queue_not_polled':
      return <Command text={`prefect worker start --pool "${poolIn(reason.message)}" --work-queue "${name}"`} />;
    case 'work_pool_paused':
      return <Command text={`prefect work-pool resume "${name}"`} />;
    case 'work_queue_paused':
      return <Command text={`prefect work-queue resume "${name}" --pool "${poolIn(reason.message)}"`} />;
    case 'deployment_not_served':
      return <Command text={`prefect flow serve ${entrypoint ?? 'flow.py:flow'} --name "${name}"`} />;
    case 'work_pool_full':
      return (
        <Place>
          <Link to="/work-pools/work-pool/$name" params={{ name }}>
            Edit its limit
          </Link>
        </Place>
      );
    case 'deployment_limit_full':
      return (
        <Place>
          <Link to="/concurrency-limits/concurrency-limit/$id" params={{ id }}>
            See who holds its slots
          </Link>
        </Place>
      );
    default:
      return null;
  }
}

/** Sentences about a queue end with the name of its pool. */
function poolIn(message: string): string {
  return /work pool "([^"]*)"/.exec(message)?.[1] ?? '';
}

function Place({ children }: { readonly children: ReactNode }) {
  return <p className="text-accent [&_a]:hover:underline">{children}</p>;
}

export function Command({ text }: { readonly text: string }) {
  return (
    <p className="flex items-center gap-1 font-mono text-xs">
      <code className="min-w-0 break-all">{text}</code>
      <Copy text={text} what="command" />
    </p>
  );
}
