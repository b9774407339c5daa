/** The queues of a pool, by priority. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Section } from '../components/page.tsx';
import { Health } from '../components/reasons.tsx';
import type { WorkPoolView } from './queries.ts';
import { QueueDialog } from './queue-dialog.tsx';

export function Queues({ view }: { readonly view: WorkPoolView }) {
  const { queues, work_pool: pool } = view;
  const mayChange = useMay('work_pools:write');
  const [isOpen, open] = useState(false);
  return (
    <Section
      title="Queues"
      aside={
        mayChange ? (
          <button type="button" className="hover:underline" onClick={() => open(true)}>
            New queue
          </button>
        ) : null
      }
    >
      <table className="w-full border-t border-line text-left">
        <thead className="text-xs text-quiet">
          <tr className="ruled">
            <th className="py-1 font-normal">Queue</th>
            <th className="py-1 text-right font-normal">Priority</th>
            <th className="py-1 text-right font-normal">Runs</th>
            <th className="py-1 text-right font-normal">Late</th>
            <th className="py-1 pl-4 font-normal">Health</th>
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <tr key={queue.id} className="ruled">
              <td className="max-w-40 truncate py-1">
                <Link
                  to="/work-queues/work-queue/$id"
                  params={{ id: queue.id }}
                  className="font-medium hover:underline"
                >
                  {queue.name}
                </Link>
              </td>
              <td className="tabular py-1 text-right">{queue.priority}</td>
              <td className="tabular py-1 text-right">
                {queue.running + queue.pending}
                {queue.concurrency_limit === null ? '' : ` of ${queue.concurrency_limit}`}
              </td>
              <td className={`tabular py-1 text-right ${queue.late > 0 ? 'text-late-text' : 'text-quiet'}`}>
                {queue.late}
              </td>
              <td className="py-1 pl-4">
                <Health reasons={queue.reasons} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isOpen ? (
        <QueueDialog
          pool={pool.name}
          queue={undefined}
          onClose={() => open(false)}
          onSaved={() => invalidate('/views/work_pools/{name}', '/work_pools/{name}')}
        />
      ) : null}
    </Section>
  );
}
