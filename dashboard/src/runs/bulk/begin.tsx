/** Begins changes of runs. They can be undone for five seconds, and are told until their end. */
import { Link } from '@tanstack/react-router';
import { Problem } from '../../api/problem.ts';
import { queries } from '../../api/query-client.ts';
import { invalidate } from '../../api/read.ts';
import { notify } from '../../components/notify/notify.ts';
import { FollowedProgress } from './progress.tsx';
import { workOutcome, workScheduled, workUnderWay } from './words.ts';
import { type BulkWork, bulkWorkQuery, cancelWork, createWork, hasEnded, UNDO_MILLISECONDS } from './work.ts';

const POLL_MILLISECONDS = 1000;
const AWAY_MILLISECONDS = 5000;

/** Resolves once the work is stored. `ended` resolves with its end, as long as this tab is open. */
export async function beginWork(asked: Parameters<typeof createWork>[0]): Promise<{ ended: Promise<void> }> {
  const work = await createWork(asked);
  if (hasEnded(work)) {
    notify(workOutcome(work));
    return { ended: Promise.resolve() };
  }
  void invalidate('/bulk_work/');
  notify(workScheduled(work), {
    detail: work.total === 1 ? undefined : <BulkWorkLink />,
    undo: { act: async () => workOutcome(await cancelWork(work.id)), within: UNDO_MILLISECONDS },
  });
  return { ended: tell(work).catch(() => {}) };
}

async function tell(work: BulkWork): Promise<void> {
  // A short work has ended by then, and shows no progress.
  await pause(Date.parse(work.starts_at) - Date.parse(work.created) + POLL_MILLISECONDS);
  const end = follow(await readAgain(work));
  if (work.total > 1) void tellProgress(work, end);
  const ended = await end;
  await invalidate('/views/runs', '/views/flow_runs/{id}', '/bulk_work/');
  // The person who cancelled it was told, and the page of a single run shows its new state.
  if (ended.status === 'CANCELLED' || (ended.total === 1 && ended.done === 1)) return;
  const isProblem = ended.status === 'FAILED' || ended.failed > 0;
  notify(workOutcome(ended), { isProblem, detail: ended.total === 1 ? undefined : <BulkWorkLink /> });
}

async function tellProgress(work: BulkWork, end: Promise<BulkWork>): Promise<void> {
  const begun = await readAgain(work);
  if (!hasEnded(begun)) notify(workUnderWay(begun), { detail: <FollowedProgress work={begun} />, until: end });
}

/** Reads the work until it has ended. */
async function follow(work: BulkWork): Promise<BulkWork> {
  let seen = work;
  while (!hasEnded(seen)) {
    await pause(POLL_MILLISECONDS);
    seen = await readAgain(seen);
  }
  return seen;
}

async function readAgain(work: BulkWork): Promise<BulkWork> {
  for (;;) {
    try {
      return await queries.fetchQuery({ ...bulkWorkQuery(work.id), staleTime: 0 });
    } catch (error) {
      const isAway = error instanceof Problem && (error.status === 0 || error.status >= 500);
      if (!isAway) throw error;
      await pause(AWAY_MILLISECONDS);
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function BulkWorkLink() {
  return (
    <Link to="/runs/bulk-work" className="text-accent whitespace-nowrap hover:underline">
      Bulk work
    </Link>
  );
}
