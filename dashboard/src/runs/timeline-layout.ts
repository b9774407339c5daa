/** Which rows a timeline has, and where their bars lie. No drawing: `timeline.tsx` does that. */
import { type StateKind, stateKind } from '../design/states.ts';
import type { TimelineView } from './queries.ts';

export interface Segment {
  /** Milliseconds from the origin. */
  readonly from: number;
  /** Null for what still goes on. */
  readonly to: number | null;
  readonly kind: StateKind;
  /** Waiting is drawn thinner than running. */
  readonly isWait: boolean;
}

export interface TimelineRow {
  /** Position in the answer; of a fold, of its first task. */
  readonly task: number;
  readonly id: string;
  readonly name: string;
  readonly isSubflow: boolean;
  readonly kind: StateKind;
  readonly segments: readonly Segment[];
  readonly tries: number;
  /** How many tasks a fold stands for. */
  readonly folded: number;
}

/** So many siblings with one name stand as one row, until it is opened. */
const FOLD_FROM = 6;

/** Tasks of one name are folded but for those that failed and the one that is chosen. */
export function rowsOf(view: TimelineView, opened: ReadonlySet<string>, chosen: string | undefined): TimelineRow[] {
  const attempts = Map.groupBy(view.attempts, ({ task }) => task);
  const one = (task: number): TimelineRow => ({
    task,
    id: view.id[task] as string,
    name: view.name[task] as string,
    isSubflow: view.kind[task] === 'flow-run',
    kind: stateKind(view.state_type[task], view.state_name[task]),
    segments: segmentsOf(view, task, attempts.get(task)),
    tries: view.run_count[task] as number,
    folded: 0,
  });
  const groups = Map.groupBy(view.id.keys(), (task) => baseName(view.name[task] as string));
  const folds = new Map<string, number[]>();
  for (const [name, tasks] of groups) {
    const foldable = tasks.filter((task) => !isShownAlways(view, task, chosen));
    if (foldable.length >= FOLD_FROM && !opened.has(name)) folds.set(name, foldable);
  }
  const rows: TimelineRow[] = [];
  const done = new Set<string>();
  for (const task of view.id.keys()) {
    const name = baseName(view.name[task] as string);
    const fold = folds.get(name);
    if (!fold || isShownAlways(view, task, chosen)) rows.push(one(task));
    else if (!done.has(name)) {
      done.add(name);
      rows.push({
        ...one(task),
        name,
        folded: fold.length,
        segments: fold.flatMap((member) => segmentsOf(view, member, undefined)),
      });
    }
  }
  return rows;
}

function isShownAlways(view: TimelineView, task: number, chosen: string | undefined): boolean {
  const type = view.state_type[task];
  return type === 'FAILED' || type === 'CRASHED' || view.id[task] === chosen;
}

/** Clients number or mark the runs of one task: `extract-17`, `extract-3f2`. */
export function baseName(name: string): string {
  return name.replace(/-[0-9a-f]{1,8}$/, '');
}

type Attempt = TimelineView['attempts'][number];

function segmentsOf(view: TimelineView, task: number, states: readonly Attempt[] | undefined): Segment[] {
  const kind = stateKind(view.state_type[task], view.state_name[task]);
  const [expected, start, end] = [view.expected[task] ?? null, view.start[task] ?? null, view.end[task] ?? null];
  if (states && states.length > 1) {
    return states.flatMap((state, index): Segment[] => {
      const next = states[index + 1];
      const own = stateKind(state.type, state.name);
      if (!next) return isOver(state.type) ? [] : [{ from: state.at, to: null, kind: own, isWait: own !== 'RUNNING' }];
      const after = stateKind(next.type, next.name);
      // A running segment takes the colour of the state that follows it.
      const shown = own === 'RUNNING' ? (after === 'SCHEDULED' ? 'FAILED' : after) : own;
      return [{ from: state.at, to: next.at, kind: shown, isWait: own !== 'RUNNING' }];
    });
  }
  const segments: Segment[] = [];
  if (expected !== null && (start === null || start > expected)) {
    segments.push({ from: expected, to: start ?? end, kind: start === null ? kind : 'PENDING', isWait: true });
  }
  if (start !== null) segments.push({ from: start, to: end, kind, isWait: false });
  return segments;
}

function isOver(type: Attempt['type']): boolean {
  return type === 'COMPLETED' || type === 'FAILED' || type === 'CRASHED' || type === 'CANCELLED';
}

/** The last moment that is drawn, in milliseconds from the origin. */
export function lengthOf(view: TimelineView): number {
  const now = Date.parse(view.as_of) - Date.parse(view.origin);
  let last = 0;
  let isOpen = false;
  for (const task of view.id.keys()) {
    const end = view.end[task] ?? null;
    if (end === null && view.start[task] !== null) isOpen = true;
    last = Math.max(last, end ?? view.start[task] ?? 0);
  }
  for (const { at } of view.states) last = Math.max(last, at);
  return Math.max(1, isOpen ? Math.max(now, last) : last);
}
