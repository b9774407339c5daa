/** The cure of a reason: a button where the server can do it and the person may, else the command or the page. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Permission, useMay } from '../api/access.ts';
import { answered, api } from '../api/client.ts';
import { invalidate } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';
import { Button } from './button.tsx';
import { ProblemNote } from './problem-note.tsx';
import { Copy } from './text/copy.tsx';
import { useAction } from './use-action.ts';

export type Reason = components['schemas']['FlowRunReason'];

interface Props {
  readonly reason: Reason;
  /** File and function of the flow, for the command that serves it. */
  readonly entrypoint?: string | null | undefined;
}

/** Nothing if only time helps. */
export function Cure({ reason, entrypoint }: Props) {
  const { code, resource } = reason;
  const name = resource?.name ?? '';
  const id = resource?.id ?? '';
  const more = (reason.limit ?? 0) + 1;
  const raise = `Raise the limit to ${more.toLocaleString('en')}`;
  switch (code) {
    case 'no_worker':
      return <Command text={`prefect worker start --pool "${name}"`} />;
    case 'work_queue_not_polled':
      return <Command text={`prefect worker start --pool "${poolIn(reason.message)}" --work-queue "${name}"`} />;
    case 'deployment_not_served':
      return <Command text={`prefect flow serve ${entrypoint ?? 'flow.py:flow'} --name "${name}"`} />;
    case 'work_pool_paused':
      return (
        <Act
          permission="work_pools:write"
          title="Resume the work pool"
          done={`Work pool ${name} resumed`}
          act={() => api.PATCH('/work_pools/{name}', { params: { path: { name } }, body: { is_paused: false } })}
          otherwise={<Command text={`prefect work-pool resume "${name}"`} />}
        />
      );
    case 'work_queue_paused':
      return (
        <Act
          permission="work_queues:write"
          title="Resume the work queue"
          done={`Queue ${name} resumed`}
          act={() => api.PATCH('/work_queues/{id}', { params: { path: { id } }, body: { is_paused: false } })}
          otherwise={<Command text={`prefect work-queue resume "${name}" --pool "${poolIn(reason.message)}"`} />}
        />
      );
    case 'deployment_paused':
      return (
        <Act
          permission="deployments:write"
          title="Resume the deployment"
          done={`Deployment ${name} resumed`}
          act={() => api.POST('/deployments/{id}/resume_deployment', { params: { path: { id } } })}
        />
      );
    case 'work_pool_full':
      return (
        <Act
          permission="work_pools:write"
          title={raise}
          done={`Work pool ${name} runs ${more} at a time`}
          act={() => api.PATCH('/work_pools/{name}', { params: { path: { name } }, body: { concurrency_limit: more } })}
          otherwise={
            <Place>
              <Link to="/work-pools/work-pool/$name" params={{ name }}>
                See its limit
              </Link>
            </Place>
          }
        />
      );
    case 'work_queue_full':
      return (
        <Act
          permission="work_queues:write"
          title={raise}
          done={`Queue ${name} runs ${more} at a time`}
          act={() => api.PATCH('/work_queues/{id}', { params: { path: { id } }, body: { concurrency_limit: more } })}
        />
      );
    case 'deployment_limit_zero':
      return (
        <Act
          permission="deployments:write"
          title={raise}
          done={`Deployment ${name} runs ${more} at a time`}
          act={() => api.PATCH('/deployments/{id}', { params: { path: { id } }, body: { concurrency_limit: more } })}
        />
      );
    case 'deployment_limit_full':
    case 'tag_limit_full':
      return (
        <div className="flex flex-wrap items-center gap-x-4">
          <Act
            permission="concurrency_limits:write"
            title={raise}
            done={`The limit is ${more}`}
            act={() =>
              api.PATCH('/v2/concurrency_limits/{id_or_name}', {
                params: { path: { id_or_name: id } },
                body: { limit: more },
              })
            }
          />
          <Place>
            <Link to="/concurrency-limits/concurrency-limit/$id" params={{ id }}>
              See who holds its slots
            </Link>
          </Place>
        </div>
      );
    default:
      return null;
  }
}

/** Sentences about a queue end with the name of its pool. */
function poolIn(message: string): string {
  return /work pool "([^"]*)"/.exec(message)?.[1] ?? '';
}

interface ActProps {
  readonly permission: Permission;
  readonly title: string;
  readonly done: string;
  readonly act: () => Parameters<typeof answered>[0];
  /** Shown to those who may not act. */
  readonly otherwise?: ReactNode;
}

function Act({ permission, title, done, act, otherwise = null }: ActProps) {
  const may = useMay(permission);
  const action = useAction();
  if (!may) return otherwise;
  const run = async () => {
    await answered(act());
    await invalidate('/views/home', '/views/flow_runs/{id}', '/views/deployments', '/views/deployments/{id}');
  };
  return (
    <p className="flex flex-wrap items-center gap-2 py-1">
      <Button disabled={action.isBusy} onClick={() => void action.run(run, done)}>
        {title}
      </Button>
      <ProblemNote text={action.problem} />
    </p>
  );
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
