/** The rows of a timeline and the positions of their bars. `timeline-drawing.ts` draws them. */
import { isEnded, type StateKind, stateKind } from '../../design/states.ts';
import type { TimelineView } from '../queries.ts';
import type { Span } from './time-scale.ts';

/** Times are milliseconds from the origin of the page's run. */
export interface Segment {
  readonly from: number;
  /** Null for an unfinished segment. */
  readonly to: number | null;
  readonly kind: StateKind;
  /** True for waiting, which is drawn thinner than running. */
  readonly isWait: boolean;
}

export interface TimelineRow {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  /** `run` is the flow run itself, above its tasks; `error` says below a task why its attempts failed. */
  readonly role: 'run' | 'task' | 'subflow' | 'fold' | 'error';
  /** Number of enclosing subflows. */
  readonly depth: number;
  readonly kind: StateKind;
  readonly start: number | null;
  readonly end: number | null;
  readonly segments: readonly Segment[];
  readonly tries: number;
  /** The ids of the tasks that a fold represents. */
  readonly folded: readonly string[];
}

/** This many siblings with one name are folded into one row, until it is opened. */
const FOLD_FROM = 6;

export interface Shown {
  /** Keys of folds and ids of subflow runs. */
  readonly opened: ReadonlySet<string>;
  /** Id of the selected run. */
  readonly chosen: string | undefined;
  /** The timelines of opened subflows, by the id of their run. */
  readonly subflows: ReadonlyMap<string, TimelineView>;
  /** Leaves the task runs of which an attempt failed. */
  readonly errorsOnly: boolean;
}

/** The rows before anything is opened. */
export const CLOSED: Shown = { opened: new Set(), chosen: undefined, subflows: new Map(), errorsOnly: false };

export function rowsOf(view: TimelineView, shown: Shown): TimelineRow[] {
  const own = runRow(view);
  return [...(own ? [own] : []), ...taskRows(view, shown, { run: '', shift: 0, depth: 0 })];
}

interface Place {
  /** Id of the subflow run of the tasks; empty for the run of the page. */
  readonly run: string;
  /** Milliseconds between the two origins. */
  readonly shift: number;
  readonly depth: number;
}

/** Tasks of one name are folded, except failed ones, the selected one and opened subflows. */
function taskRows(view: TimelineView, shown: Shown, place: Place): TimelineRow[] {
  const attempts = Map.groupBy(view.attempts, ({ task }) => task);
  const errors = Map.groupBy(view.errors, ({ task }) => task);
  const one = (task: number) => taskRow(view, task, attempts.get(task), place);
  const names = view.name.map(baseName);
  const standsAlone = (task: number) => {
    const id = view.id[task] as string;
    const type = view.state_type[task];
    return type === 'FAILED' || type === 'CRASHED' || id === shown.chosen || shown.opened.has(id);
  };
  const isShown = (task: number) => !shown.errorsOnly || standsAlone(task) || hasFailedAttempt(attempts.get(task));
  const tasks = [...view.id.keys()].filter(isShown);
  const foldable = Map.groupBy(
    tasks.filter((task) => !standsAlone(task) && !shown.errorsOnly),
    (task) => names[task] as string,
  );
  const rows: TimelineRow[] = [];
  const done = new Set<string>();
  for (const task of tasks) {
    const name = names[task] as string;
    const key = `${place.run} ${name}`;
    const members = foldable.get(name) ?? [];
    if (standsAlone(task) || members.length < FOLD_FROM || shown.opened.has(key)) {
      const row = one(task);
      rows.push(row, ...errorRows(row, errors.get(task) ?? []));
      const subflow = shown.opened.has(row.id) ? shown.subflows.get(row.id) : undefined;
      if (subflow) {
        const shift = place.shift + Date.parse(subflow.origin) - Date.parse(view.origin);
        rows.push(...taskRows(subflow, shown, { run: row.id, shift, depth: place.depth + 1 }));
      }
    } else if (!done.has(name)) {
      done.add(name);
      rows.push(foldOf(key, name, members.map(one)));
    }
  }
  return rows;
}

type Attempt = TimelineView['attempts'][number];

function hasFailedAttempt(states: readonly Attempt[] | undefined): boolean {
  return states?.some(({ type }, index) => type === 'RUNNING' && isRepeated(states[index + 1])) ?? false;
}

/** A row for each message. Attempts in a row that failed alike share one. */
function errorRows(row: TimelineRow, errors: readonly TimelineView['errors'][number][]): TimelineRow[] {
  const groups: { from: number; to: number; message: string }[] = [];
  for (const { try: number, message } of errors) {
    const last = groups.at(-1);
    if (last?.message === message) last.to = number;
    else groups.push({ from: number, to: number, message });
  }
  return groups.map(({ from, to, message }) => {
    const tries = row.tries > 1 ? (from === to ? `Try ${from}: ` : `Tries ${from} to ${to}: `) : '';
    return { ...row, key: `${row.id} error ${from}`, role: 'error', name: `${tries}${message}`, segments: [] };
  });
}

function foldOf(key: string, name: string, rows: readonly TimelineRow[]): TimelineRow {
  return {
    ...(rows[0] as TimelineRow),
    key,
    name,
    role: 'fold',
    tries: 1,
    folded: rows.map(({ id }) => id),
    segments: rows.flatMap(({ segments }) => segments),
  };
}

function taskRow(view: TimelineView, task: number, states: readonly State[] | undefined, place: Place): TimelineRow {
  const id = view.id[task] as string;
  const shifted = (time: number | null | undefined) => (typeof time === 'number' ? time + place.shift : null);
  const kind = stateKind(view.state_type[task], view.state_name[task]);
  const [expected, start, end] = [shifted(view.expected[task]), shifted(view.start[task]), shifted(view.end[task])];
  return {
    key: id,
    id,
    name: view.name[task] as string,
    role: view.kind[task] === 'flow-run' ? 'subflow' : 'task',
    depth: place.depth,
    kind,
    start,
    end,
    segments:
      states && states.length > 1
        ? segmentsOfStates(states, place.shift)
        : plainSegments({ expected, start, end, kind }),
    tries: view.run_count[task] as number,
    folded: [],
  };
}

/** Undefined for a run without states. */
function runRow(view: TimelineView): TimelineRow | undefined {
  const last = view.states.at(-1);
  if (!last) return undefined;
  const start = view.states.find(({ type }) => type === 'RUNNING')?.at ?? null;
  return {
    key: 'run',
    id: '',
    name: 'This run',
    role: 'run',
    depth: 0,
    kind: stateKind(last.type, last.name),
    start,
    end: isEnded(last.type) ? last.at : null,
    segments: segmentsOfStates(view.states, 0),
    tries: view.states.filter(({ type }) => type === 'RUNNING').length,
    folded: [],
  };
}

/** The name without the number or mark that clients add to the runs of one task: `extract-17`, `extract-3f2`. */
function baseName(name: string): string {
  return name.replace(/-[0-9a-f]{1,8}$/, '');
}

type State = TimelineView['states'][number];

/** A running segment has the colour of the state that follows it; one before a retry has failed. */
export function segmentsOfStates(states: readonly State[], shift: number): Segment[] {
  return states.flatMap((state, index): Segment[] => {
    const next = states[index + 1];
    const own = stateKind(state.type, state.name);
    const isWait = own !== 'RUNNING';
    if (!next) return isEnded(state.type) ? [] : [{ from: state.at + shift, to: null, kind: own, isWait }];
    const after = stateKind(next.type, next.name);
    const outcome = isRepeated(next) ? 'FAILED' : after;
    return [{ from: state.at + shift, to: next.at + shift, kind: isWait ? own : outcome, isWait }];
  });
}

/** True for the state after an attempt that failed and is made again. */
function isRepeated(next: State | undefined): boolean {
  return next?.type === 'SCHEDULED' || next?.name === 'Retrying';
}

interface Times {
  readonly expected: number | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly kind: StateKind;
}

function plainSegments({ expected, start, end, kind }: Times): Segment[] {
  const segments: Segment[] = [];
  if (expected !== null && (start === null || start > expected)) {
    segments.push({ from: expected, to: start ?? end, kind: start === null ? kind : 'PENDING', isWait: true });
  }
  if (start !== null) segments.push({ from: start, to: end, kind, isWait: false });
  return segments;
}

/** Largest share of the time before a run's start in the drawing, because a run may have waited for days. */
const MOST_WAIT_SHARE = 0.15;

/** The time range without zoom. */
export function rangeOf(view: TimelineView): Span {
  const now = Date.parse(view.as_of) - Date.parse(view.origin);
  const ownState = view.states.at(-1);
  let last = ownState?.at ?? 0;
  let isOpen = ownState !== undefined && !isEnded(ownState.type);
  for (const task of view.id.keys()) {
    const end = view.end[task] ?? null;
    if (end === null && view.start[task] !== null) isOpen = true;
    last = Math.max(last, end ?? view.start[task] ?? 0);
  }
  const to = Math.max(1, isOpen ? Math.max(now, last) : last);
  const first = view.states[0]?.at ?? 0;
  return { from: Math.min(0, Math.max(first, -to * MOST_WAIT_SHARE)), to };
}

/** The runs whose results the selected one uses, and those that use its result. */
export interface Neighbours {
  readonly givers: readonly string[];
  readonly takers: readonly string[];
}

/** Rows, by index in all rows, whose results another row uses. */
export interface Link {
  readonly from: number;
  readonly to: number;
}

/** Tasks in a fold are linked by the row of the fold. */
export function linksOf(
  rows: readonly TimelineRow[],
  chosen: string | undefined,
  neighbours: Neighbours | undefined,
): Link[] {
  if (chosen === undefined || !neighbours) return [];
  const places = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    if (row.role === 'fold') for (const id of row.folded) places.set(id, index);
    else if (row.role !== 'error') places.set(row.id, index);
  }
  const own = places.get(chosen);
  if (own === undefined) return [];
  const placesOf = (ids: readonly string[]) => [...new Set(ids.flatMap((id) => places.get(id) ?? []))];
  return [
    ...placesOf(neighbours.givers).map((from) => ({ from, to: own })),
    ...placesOf(neighbours.takers).map((to) => ({ from: own, to })),
  ];
}
