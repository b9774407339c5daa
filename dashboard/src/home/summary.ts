/** Summarizes the whole workspace for the home page. */
import type { components } from '../api/schema.gen.ts';
import type { Reason } from '../components/cure.tsx';
import type { RunRow } from '../runs/list/queries.ts';

export type HomeView = components['schemas']['HomeView'];

/** True if the workspace was never used. */
export function isEmpty(view: HomeView): boolean {
  return view.flows === 0 && view.deployments === 0 && view.now.length === 0;
}

/** One sentence that tells whether there are problems. */
export function verdictOf({ failed, failed_counted_since, stuck_count, now }: HomeView): string {
  const running = now.filter(({ state_type }) => state_type === 'RUNNING').reduce((sum, { count }) => sum + count, 0);
  const runs = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'}`;
  const parts = [
    failed > 0 ? `${failedCount({ failed, failed_counted_since })} ${failed === 1 ? 'run' : 'runs'} failed` : undefined,
    stuck_count > 0 ? `${runs(stuck_count)} ${stuck_count === 1 ? 'waits' : 'wait'} too long` : undefined,
  ].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(', ');
  return running > 0 ? `All is well, ${runs(running)} in progress` : 'All is well';
}

/** `5,000+` if older failures are not counted. */
export function failedCount({
  failed,
  failed_counted_since,
}: Pick<HomeView, 'failed' | 'failed_counted_since'>): string {
  return `${failed.toLocaleString('en')}${failed_counted_since === null ? '' : '+'}`;
}

export interface SameReason {
  readonly reason: Reason | undefined;
  readonly runs: RunRow[];
}

/** Groups runs that wait for the same reason, the longest wait first. */
export function byReason(stuck: HomeView['stuck']): SameReason[] {
  const groups = new Map<string, SameReason>();
  for (const { run, reasons } of stuck) {
    const reason = reasons.find(({ blocks }) => blocks) ?? reasons[0];
    const group = groups.get(reason?.message ?? '');
    if (group) group.runs.push(run);
    else groups.set(reason?.message ?? '', { reason, runs: [run] });
  }
  return [...groups.values()];
}
