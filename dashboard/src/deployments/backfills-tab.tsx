/** The backfills of a deployment with their progress. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { notify } from '../components/notify/notify.ts';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { runsNamed } from '../runs/list/run-fields.ts';
import { scheduleWords } from '../schedule/words.ts';
import {
  type Backfill,
  backfillsQuery,
  cancelBackfill,
  isEnded,
  pauseBackfill,
  resumeBackfill,
} from './backfill-queries.ts';

export function BackfillsTab({ deploymentId }: { readonly deploymentId: string }) {
  const query = useQuery(backfillsQuery(deploymentId));
  const mayRun = useMay('flow_runs:write');
  if (query.isPending) return <Skeleton rows={4} />;
  if (!query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <p className="max-w-200 pb-3 text-soft">
        A backfill runs the deployment for dates in the past, a few at a time.
        {mayRun ? (
          <Link
            to="/deployments/deployment/$id/backfill"
            params={{ id: deploymentId }}
            className={`ml-3 ${buttonClass()}`}
          >
            New backfill
          </Link>
        ) : null}
      </p>
      {query.data.length === 0 ? (
        <p className="text-quiet">There are none yet.</p>
      ) : (
        <ul className="border-t border-line" aria-label="Backfills">
          {query.data.map((backfill) => (
            <Line key={backfill.id} backfill={backfill} mayChange={mayRun} />
          ))}
        </ul>
      )}
    </>
  );
}

const statusWords: Readonly<Record<Backfill['status'], string>> = {
  RUNNING: 'Running',
  PAUSED: 'Paused',
  CANCELLING: 'Being cancelled',
  CANCELLED: 'Cancelled',
  COMPLETED: 'Completed',
};

function Line({ backfill, mayChange }: { readonly backfill: Backfill; readonly mayChange: boolean }) {
  const { id, name, status, start_time, end_time, schedule, problem } = backfill;
  const [isAsked, ask] = useState(false);
  const [fault, setFault] = useState<string>();
  const reread = () => invalidate('/backfills/filter');
  const pause = (isPaused: boolean) => {
    setFault(undefined);
    const apply = async (wanted: boolean) => {
      await (wanted ? pauseBackfill(id) : resumeBackfill(id)).finally(() => void reread());
      return `Backfill ${name} ${wanted ? 'paused' : 'resumed'}`;
    };
    apply(isPaused)
      .then((done) => notify(done, { undo: { act: () => apply(!isPaused) } }))
      .catch((error: unknown) => setFault(error instanceof Error ? error.message : String(error)));
  };
  return (
    <li className="ruled grid gap-x-6 gap-y-1 py-2 lg:grid-cols-[minmax(0,1fr)_22rem_auto] lg:items-center">
      <div className="min-w-0">
        <Link
          to="/runs"
          search={runsNamed({ tag: `backfill:${name}` }, { span: '30d' })}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
        <span className="ml-2 text-quiet">{statusWords[status]}</span>
        <p className="truncate text-xs text-quiet">
          {scheduleWords(schedule)}, <Moment time={start_time} absolute /> to <Moment time={end_time} absolute />
        </p>
        {problem === null && fault === undefined ? null : (
          <p role="alert" className="text-xs text-failed-text">
            {fault ?? problem}
          </p>
        )}
      </div>
      <Progress backfill={backfill} />
      <span className="flex gap-2 lg:w-36 lg:justify-end">
        {mayChange && !isEnded(backfill) && status !== 'CANCELLING' ? (
          <>
            <Button onClick={() => pause(status !== 'PAUSED')}>{status === 'PAUSED' ? 'Resume' : 'Pause'}</Button>
            <Button onClick={() => ask(true)}>Cancel</Button>
          </>
        ) : null}
      </span>
      <Confirm
        isOpen={isAsked}
        onClose={() => ask(false)}
        question={`Cancel the backfill ${name}?`}
        action="Cancel backfill"
        done={`Backfill ${name} cancelled`}
        onConfirm={async () => {
          await cancelBackfill(id);
          await reread();
        }}
      >
        {backfill.unfinished} {backfill.unfinished === 1 ? 'run' : 'runs'} that have not ended are cancelled, and{' '}
        {backfill.waiting} {backfill.waiting === 1 ? 'date gets' : 'dates get'} no run. This cannot be undone.
      </Confirm>
    </li>
  );
}

/** Counts in words, and as parts of a bar. */
function Progress({ backfill }: { readonly backfill: Backfill }) {
  const { total, completed, failed, cancelled, unfinished, waiting, deleted } = backfill;
  const parts = [
    ['completed', completed, 'bg-completed'],
    ['failed', failed, 'bg-failed'],
    ['cancelled', cancelled, 'bg-cancelled'],
    ['deleted', deleted, 'bg-control'],
    ['unfinished', unfinished, 'bg-running'],
  ] as const;
  const shown = parts.filter(([, count]) => count > 0);
  return (
    <div className="min-w-0">
      <div aria-hidden="true" className="flex h-1.5 overflow-hidden rounded-xs bg-line">
        {shown.map(([word, count, colour]) => (
          <span key={word} className={colour} style={{ width: `${(count / total) * 100}%` }} />
        ))}
      </div>
      <p className="tabular pt-1 text-xs text-soft">
        {[...shown.map(([word, count]) => `${count} ${word}`), ...(waiting > 0 ? [`${waiting} waiting`] : [])].join(
          ', ',
        )}{' '}
        of {total}
      </p>
    </div>
  );
}
