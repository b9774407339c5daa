/** One worker of a pool. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Command } from '../components/cure.tsx';
import { Confirm } from '../components/dialog.tsx';
import { type Crumb, Facts, PageHead, Section } from '../components/page.tsx';
import { Empty, Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { duration } from '../design/time.ts';
import { deleteWorker } from './actions.ts';
import { PoolRuns } from './pool-page.tsx';
import { poolViewQuery } from './queries.ts';
import { WorkerStatus } from './workers.tsx';

const route = getRouteApi('/work-pools/work-pool/$name/worker/$worker');

/** Number of intervals without a heartbeat after which a worker counts as offline. */
const MISSED_HEARTBEATS = 3;

export function WorkerPage() {
  const { name: poolName, worker: name } = route.useParams();
  const navigate = useNavigate();
  const mayChange = useMay('work_pools:write');
  const [isAsked, ask] = useState(false);
  const query = useQuery(poolViewQuery(poolName));
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={6} isPage />;
  const worker = view.workers.find((one) => one.name === name);
  const command = `prefect worker start --pool "${poolName}" --name "${name}"`;
  const trail: readonly Crumb[] = [[poolName, { to: '/work-pools/work-pool/$name', params: { name: poolName } }]];
  if (!worker) {
    return (
      <>
        <PageHead title={name} trail={trail} />
        <Empty title="The pool has no such worker">
          <p>It was removed, or it never sent a heartbeat. To start one of this name:</p>
          <Command text={command} />
        </Empty>
      </>
    );
  }
  const isOnline = worker.status === 'ONLINE';
  return (
    <>
      <PageHead
        title={name}
        trail={trail}
        actions={
          mayChange ? (
            <Button kind="danger" onClick={() => ask(true)}>
              Remove
            </Button>
          ) : null
        }
      />
      <div className="flex flex-col gap-5 px-6 max-sm:px-4">
        {isOnline ? null : (
          <section aria-label="Health" className="border-l-4 border-failed bg-surface py-3 pr-4 pl-4">
            <h2 className="mb-1 text-lg font-semibold">It is offline</h2>
            <p>
              Its last heartbeat came <Moment time={worker.last_heartbeat_time} />
              {worker.heartbeat_interval_seconds
                ? `; it announced one each ${duration(worker.heartbeat_interval_seconds)}, and after ${MISSED_HEARTBEATS} missed ones it counts as offline`
                : ''}
              . To start it again:
            </p>
            <Command text={command} />
          </section>
        )}
        <Facts
          className="flex flex-wrap items-center gap-x-6 gap-y-2"
          of={{
            Status: <WorkerStatus worker={worker} />,
            'Last heartbeat': <Moment time={worker.last_heartbeat_time} />,
            Heartbeat: worker.heartbeat_interval_seconds
              ? `each ${duration(worker.heartbeat_interval_seconds)}`
              : 'not announced',
            'First seen': <Moment time={worker.created} />,
          }}
        />
        <Section title={`Runs of the pool ${poolName}`}>
          <PoolRuns active={view.active} waiting={view.waiting} />
        </Section>
      </div>
      <Confirm
        isOpen={isAsked}
        onClose={() => ask(false)}
        question={`Remove the worker ${name}?`}
        action="Remove worker"
        done={`Worker ${name} removed`}
        onConfirm={async () => {
          await deleteWorker(poolName, name);
          await invalidate('/views/work_pools/{name}', '/work_pools/{name}');
          await navigate({ to: '/work-pools/work-pool/$name', params: { name: poolName } });
        }}
      >
        Only this entry is lost. A worker that still runs appears again with its next heartbeat; its runs go on.
      </Confirm>
    </>
  );
}
