import type { StateType } from '../../filters/field-schema.ts';
import { createState, type Proposal, type State } from '../rows/state.ts';
import type { SetStateStatus } from '../rows/state-schema.ts';
import type { FromType, Rule, RunChanges, Transition, Verdict } from './rules/rule.ts';
import { artifactFault } from './state-artifact.ts';

/** The result of a policy for a proposal. */
export interface Outcome<Policy> {
  readonly status: SetStateStatus;
  /** The state to write; undefined when no state is written. */
  readonly state: State | undefined;
  readonly reason: string | null;
  readonly delaySeconds: number | null;
  /** Changes of the run that apply before the state is written. */
  readonly changes: readonly RunChanges<Policy>[];
  /** Changes that were undone, because a later rule refused or replaced the proposal. */
  readonly undone: readonly RunChanges<Policy>[];
  /** Changes that apply after it: the columns that follow from the state are derived without them. */
  readonly settled: readonly RunChanges<Policy>[];
}

/**
 * Runs the rules of a policy in order. The initial and proposed types select the rules. Once a rule changes the
 * proposed type, the changes of earlier rules are undone, and only later rules with `everyTransition` still run.
 * Source: `POST /flow_runs/{id}/set_state` and `POST /task_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export async function orchestrate<Run, Policy>(
  policy: readonly Rule<Run, Policy>[],
  start: Transition<Run>,
): Promise<Outcome<Policy>> {
  const from = start.initial?.type ?? null;
  const taking = policy.filter((rule) => fits(rule, from, start.proposed.type));
  let valid: Rule<Run, Policy>[] = [];
  let changes: RunChanges<Policy>[] = [];
  const undone: RunChanges<Policy>[] = [];
  let transition = start;
  let status: SetStateStatus = 'ACCEPT';
  let reason: string | null = null;
  const undo = () => {
    undone.push(...changes);
    changes = [];
    valid = [];
  };
  for (const rule of taking) {
    const isAsked = transition.proposed.type === start.proposed.type;
    if (!isAsked && !(rule.everyTransition && fits(rule, from, transition.proposed.type))) continue;
    const verdict = await rule.judge(transition);
    if (verdict.kind === 'wait' || verdict.kind === 'abort') return stopped(verdict, [...undone, ...changes]);
    if (verdict.kind === 'reject') {
      status = 'REJECT';
      reason = verdict.reason;
      if (!verdict.state || verdict.state.type !== transition.proposed.type) undo();
      if (verdict.changes) changes.push(verdict.changes);
      if (!verdict.state) return { status, state: undefined, reason, delaySeconds: null, changes, undone, settled: [] };
      transition = { ...transition, proposed: createState(verdict.state as Proposal, start.now) };
    } else if (verdict.kind === 'amend') {
      if (verdict.changes) changes.push(verdict.changes);
      transition = { ...transition, proposed: verdict.proposed, run: withColumns(transition.run, verdict.changes) };
    }
    valid.push(rule);
  }
  const written = transition.proposed;
  const fault = artifactFault(written);
  if (fault !== undefined) return stopped({ kind: 'abort', reason: fault }, []);
  const settled = valid.reverse().flatMap((rule) => rule.settle?.(transition) ?? []);
  return { status, state: written, reason, delaySeconds: null, changes, undone, settled };
}

/** Later rules see the columns that an earlier rule changed. */
function withColumns<Run, Policy>(run: Run, changes: RunChanges<Policy> | undefined): Run {
  if (!changes) return run;
  const { empirical_policy, ...columns } = changes;
  return Object.assign({}, run, columns);
}

function fits<Run, Policy>(rule: Rule<Run, Policy>, from: FromType, to: StateType): boolean {
  return rule.from.includes(from) && rule.to.includes(to);
}

function stopped<Policy>(
  verdict: Extract<Verdict<Policy>, { kind: 'wait' | 'abort' }>,
  undone: readonly RunChanges<Policy>[],
): Outcome<Policy> {
  return {
    status: verdict.kind === 'wait' ? 'WAIT' : 'ABORT',
    state: undefined,
    reason: verdict.reason,
    delaySeconds: verdict.kind === 'wait' ? verdict.delaySeconds : null,
    changes: [],
    undone,
    settled: [],
  };
}
