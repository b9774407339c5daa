/** One work queue: whether its runs start, the reasons if not, and its runs. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Reasons } from '../components/reasons.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import { DeploymentLines } from '../deployments/deployment-lines.tsx';
import { deleteQueue, updateQueue } from './actions.ts';
import { PoolRuns } from './pool-page.tsx';
import { poolViewQuery, queueViewQuery } from './queries.ts';
import { QueueDialog } from './queue-dialog.tsx';

const route = getRouteApi('/work-queues/work-queue/$id');
const byName = getRouteApi('/work-pools/work-pool/$name/queue/$queue');

export function QueuePage() {
  const { id } = route.useParams();
  const query = useQuery(queueViewQuery(id));
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={10} isPage />;
  const { work_queue: queue, work_pool: pool } = view;
  return (
    <>
      <PageHead
        title={queue.name}
        trail={[
          ['Work pools', { to: '/work-pools' }],
          [pool.name, { to: '/work-pools/work-pool/$name', params: { name: pool.name } }],
        ]}
        actions={<Actions pool={pool.name} queue={queue} />}
      />
      <div className="flex flex-col gap-5 px-6 max-sm:px-4">
        {queue.reasons.length > 0 ? (
          <section aria-label="Health" className="border-l-4 border-failed bg-surface py-3 pr-4 pl-4">
            <h2 className="mb-1 text-lg font-semibold">
              Its runs do not start{queue.late > 0 ? `, ${queue.late} ${queue.late === 1 ? 'is' : 'are'} late` : ''}
            </h2>
            <Reasons reasons={queue.reasons} />
          </section>
        ) : (
          <p className="text-soft">Ready: a worker polls it.</p>
        )}
        <Facts
          className="flex flex-wrap items-center gap-x-6 gap-y-2"
          of={{
            Priority: queue.priority,
            'Runs at a time': (
              <>
                {queue.running + queue.pending}
                {queue.concurrency_limit === null ? ', no limit' : ` of ${queue.concurrency_limit}`}
              </>
            ),
            Late: queue.late,
            'Last poll': <Moment time={queue.last_polled} />,
          }}
        />
        {queue.description ? <p className="max-w-200 text-soft">{queue.description}</p> : null}
        <PoolRuns active={view.active} waiting={view.waiting} />
        <Section title="Deployments" aside={queue.deployments}>
          <DeploymentLines filter={{ work_queue_id: id }} />
        </Section>
      </div>
    </>
  );
}

type Queue = Parameters<typeof QueueDialog>[0]['queue'] & {};

function Actions({ pool, queue }: { readonly pool: string; readonly queue: Queue }) {
  const navigate = useNavigate();
  const mayChange = useMay('work_pools:write');
  const [opened, open] = useState<'edit' | 'delete'>();
  const { run, problem } = useAction();
  if (!mayChange) return null;
  const reread = () => invalidate('/views/work_queues/{id}');
  const pause = () =>
    void run(
      async () => {
        await updateQueue(pool, queue.name, { is_paused: !queue.is_paused });
        await reread();
      },
      `Queue ${queue.name} ${queue.is_paused ? 'resumed' : 'paused'}`,
    );
  return (
    <>
      <ProblemNote text={problem} className="" />
      <Button onClick={pause}>{queue.is_paused ? 'Resume' : 'Pause'}</Button>
      <Button onClick={() => open('edit')}>Edit</Button>
      {queue.name === 'default' ? null : (
        <Button kind="danger" onClick={() => open('delete')}>
          Delete
        </Button>
      )}
      {opened === 'edit' ? (
        <QueueDialog pool={pool} queue={queue} onClose={() => open(undefined)} onSaved={reread} />
      ) : null}
      <Confirm
        isOpen={opened === 'delete'}
        onClose={() => open(undefined)}
        question={`Delete the queue ${queue.name}?`}
        action="Delete queue"
        done={`Queue ${queue.name} deleted`}
        onConfirm={async () => {
          await deleteQueue(pool, queue.name);
          await invalidate('/views/work_pools/{name}', '/work_pools/{name}');
          await navigate({ to: '/work-pools/work-pool/$name', params: { name: pool } });
        }}
      >
        {queue.deployments === 1 ? 'One deployment sends' : `${queue.deployments} deployments send`} runs to it; nothing
        starts them after that. Runs stay. This cannot be undone.
      </Confirm>
    </>
  );
}

/** Finds the queue by its name and redirects to its own address. */
export function QueueByNamePage() {
  const { name, queue } = byName.useParams();
  const query = useQuery(poolViewQuery(name));
  const { data } = query;
  if (!data) return <Unread of={query} rows={4} isPage />;
  const found = data.queues.find((one) => one.name === queue);
  if (found) return <Navigate to="/work-queues/work-queue/$id" params={{ id: found.id }} replace />;
  return <Navigate to="/work-pools/work-pool/$name" params={{ name }} replace />;
}
