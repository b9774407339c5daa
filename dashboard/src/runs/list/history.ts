/** The server's history of runs, in the shape of a histogram. */
import type { Interval } from '../../components/chart/histogram.tsx';
import { type StateKind, stateKind } from '../../design/states.ts';

interface HistoryInterval {
  readonly interval_start: string;
  readonly states: readonly { readonly state_type: string; readonly state_name: string; readonly count_runs: number }[];
}

export function intervalsOf(history: readonly HistoryInterval[] | null | undefined): Interval[] {
  return (history ?? []).map(({ interval_start, states }) => {
    const counts: Partial<Record<StateKind, number>> = {};
    for (const { state_type, state_name, count_runs } of states) {
      const kind = stateKind(state_type as never, state_name);
      counts[kind] = (counts[kind] ?? 0) + count_runs;
    }
    return { start: interval_start, counts };
  });
}
