/** The workers of a pool, with their last heartbeat. */
import { Link } from '@tanstack/react-router';
import { Command } from '../components/cure.tsx';
import { Section } from '../components/page.tsx';
import { Moment } from '../components/text/moment.tsx';
import type { WorkerRow, WorkPoolView } from './queries.ts';

export function Workers({ view }: { readonly view: WorkPoolView }) {
  const { workers, work_pool: pool } = view;
  const online = workers.filter(({ status }) => status === 'ONLINE').length;
  return (
    <Section title="Workers" aside={workers.length > 0 ? `${online} of ${workers.length} online` : null}>
      <div className="border-t border-line">
        {workers.length === 0 ? <p className="py-2 text-quiet">No worker was ever seen.</p> : null}
        <ul>
          {workers.map((worker) => (
            <li key={worker.id} className="ruled flex items-center gap-3 py-1">
              <WorkerStatus worker={worker} />
              <Link
                to="/work-pools/work-pool/$name/worker/$worker"
                params={{ name: pool.name, worker: worker.name }}
                className="min-w-0 flex-1 truncate hover:underline"
              >
                {worker.name}
              </Link>
              <span className="text-xs text-quiet">
                heartbeat <Moment time={worker.last_heartbeat_time} />
              </span>
            </li>
          ))}
        </ul>
        {online > 0 ? (
          <div className="pt-2">
            <p className="text-xs text-quiet">To start another one:</p>
            <Command text={`prefect worker start --pool "${pool.name}"`} />
          </div>
        ) : null}
      </div>
    </Section>
  );
}

export function WorkerStatus({ worker }: { readonly worker: Pick<WorkerRow, 'status'> }) {
  const isOnline = worker.status === 'ONLINE';
  return (
    <span className={`inline-flex w-16 items-center gap-1.5 ${isOnline ? 'text-completed-text' : 'text-quiet'}`}>
      <span
        className={`size-2 rounded-full border ${isOnline ? 'border-completed bg-completed' : 'border-control'}`}
        aria-hidden="true"
      />
      {isOnline ? 'Online' : 'Offline'}
    </span>
  );
}
