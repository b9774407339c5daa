/** Changes of many runs: what is under way, and what became of the last ones. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/access.ts';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { notify } from '../../components/notify/notify.ts';
import { PageHead } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Empty, Unread } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { useAction } from '../../components/use-action.ts';
import { Progress } from './progress.tsx';
import { workOutcome, workTitle } from './words.ts';
import { type BulkWork, bulkWorksQuery, cancelWork, hasEnded } from './work.ts';

export function BulkWorkPage() {
  const query = useQuery(bulkWorksQuery);
  const mayChange = useMay('flow_runs:write');
  return (
    <>
      <PageHead title="Bulk work" trail={<Link to="/runs">Runs</Link>} />
      {query.data === undefined ? (
        <div className="px-6 max-sm:px-4">
          <Unread of={query} rows={6} />
        </div>
      ) : query.data.length === 0 ? (
        <Empty title="No bulk work in the last 30 days">
          <p>
            Select runs in the list to retry, cancel, delete or change many at once. The server goes on without you.
          </p>
        </Empty>
      ) : (
        <ul aria-label="Bulk work" className="border-t border-line">
          {query.data.map((work) => (
            <Line key={work.id} work={work} mayChange={mayChange} />
          ))}
        </ul>
      )}
    </>
  );
}

function Line({ work, mayChange }: { readonly work: BulkWork; readonly mayChange: boolean }) {
  const { id, status, starts_at, ended, created_by, failures } = work;
  const { isBusy, problem, run } = useAction();
  const cancel = () =>
    run(async () => {
      notify(workOutcome(await cancelWork(id)));
      await invalidate('/bulk_work/');
    });
  return (
    <li className="ruled grid gap-x-6 gap-y-1 px-6 py-2 max-sm:px-4 md:grid-cols-[minmax(0,1fr)_16rem_5rem] md:items-center">
      <div className="min-w-0">
        <p className="font-medium">{workTitle(work)}</p>
        <p className="text-xs text-quiet">
          {hasEnded(work) ? 'Ended' : status === 'SCHEDULED' ? 'Begins' : 'Started'}{' '}
          <Moment time={ended ?? starts_at} />
          {created_by?.display_value ? `, by ${created_by.display_value}` : null}
        </p>
        {failures.map(({ flow_run_id, flow_run_name, reason }) => (
          <p key={flow_run_id} className="text-xs wrap-anywhere text-failed-text">
            <Link to="/runs/flow-run/$id" params={{ id: flow_run_id }} className="underline">
              {flow_run_name}
            </Link>
            : {reason}
          </p>
        ))}
        <ProblemNote text={problem} className="text-xs" />
      </div>
      {hasEnded(work) ? (
        <p className={status === 'FAILED' ? 'text-failed-text' : 'text-soft'}>{workOutcome(work)}</p>
      ) : (
        <Progress work={work} />
      )}
      <span className="md:text-right">
        {mayChange && !hasEnded(work) ? (
          <Button aria-label={`Cancel: ${workTitle(work)}`} disabled={isBusy} onClick={() => void cancel()}>
            Cancel
          </Button>
        ) : null}
      </span>
    </li>
  );
}
