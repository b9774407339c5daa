/**
 * Rules as data. A rule looks at a transition and says what becomes of it; `orchestrate.ts` runs the rules of a policy in
 * their order, `flow-run-transition.ts` and `task-run-transition.ts` alone touch the database.
 */
import type { ClientInfo } from '../../../../context.ts';
import type { Timestamp } from '../../../../time.ts';
import { type StateType, stateTypes } from '../../../filters/field-schema.ts';
import type { FlowRunPolicy } from '../../rows/flow-run-policy.ts';
import type { Proposal, State } from '../../rows/state.ts';
import type { TaskRunPolicy } from '../../rows/task-run-policy.ts';

/**
 * `unlimited`: the limit is gone or switched off, so no slot is needed. `never`: the limit is 0. Else the id of the lease.
 */
export type TakenSlot = 'unlimited' | 'full' | 'never' | { readonly lease: string };

/** The slot of the concurrency limit of a flow run's deployment. */
export interface FlowRunSlots {
  /** True when the run belongs to a deployment that was deleted. */
  readonly isDeploymentGone: boolean;
  readonly isLimited: boolean;
  /** True when a run that finds no slot is cancelled instead of waiting for one. */
  readonly cancelsNew: boolean;
  /** True when there is a limit in force and nothing of it is left. */
  areAllTaken(): Promise<boolean>;
  /** Takes a slot for the run; one that it holds already is kept. */
  take(): Promise<TakenSlot>;
  /** For clients that renew no leases: the slot is the run's until the run gives it back. */
  keepUntilGivenBack(): Promise<void>;
  /** Gives back whatever the run holds. */
  release(): Promise<void>;
}

/** `never`: the limit on that tag is 0. `full`: the tags that are limited, and when to ask again. */
export type TakenTagSlots =
  | { readonly kind: 'taken' }
  | { readonly kind: 'never'; readonly tag: string }
  | { readonly kind: 'full'; readonly tags: readonly string[]; readonly delaySeconds: number };

/** The slots of the limits on a task run's tags. */
export interface TaskRunSlots {
  /** Takes a slot of every limit on a tag of the run, or none. Slots that the run holds already are kept. */
  take(): Promise<TakenTagSlots>;
  /** Gives back what the run holds on its tags, whoever took it. */
  release(): Promise<void>;
}

/** What the rules see of a flow run. */
export interface FlowRunView {
  readonly id: string;
  readonly deployment_id: string | null;
  readonly parent_task_run_id: string | null;
  readonly run_count: number;
  readonly infrastructure_pid: string | null;
  readonly empirical_policy: FlowRunPolicy;
  /** Of its deployment's limit. What is taken for a state that is not written goes back. */
  readonly slots: FlowRunSlots;
}

/** What the rules see of a task run. */
export interface TaskRunView {
  readonly id: string;
  readonly flow_run_id: string | null;
  readonly run_count: number;
  readonly flow_run_run_count: number;
  readonly empirical_policy: TaskRunPolicy;
  /** Of the limits on its tags. What is taken for a state that is not written goes back. */
  readonly slots: TaskRunSlots;
}

/** Columns of the run that a rule changes beside its state. */
export interface RunChanges<Policy> {
  readonly empirical_policy?: Partial<Policy>;
  readonly run_count?: number;
  readonly flow_run_run_count?: number;
}

/** The run a task run belongs to, as far as rules ask. */
export interface EnclosingFlowRun {
  readonly run_count: number;
  readonly state: State | undefined;
}

/** Rows that rules may ask for; each is read at most once, in the transaction of the transition. */
export interface Reads {
  /** The newest unexpired state stored under a cache key. */
  cachedState(cacheKey: string): Promise<State | undefined>;
  /** The flow run of a task run; undefined for a task run without one. */
  enclosingFlowRun(): Promise<EnclosingFlowRun | undefined>;
}

export interface Transition<Run> {
  readonly run: Run;
  /** The state the run is in; undefined for a run that has none yet. */
  readonly initial: State | undefined;
  /** The state that would be written as things stand. */
  readonly proposed: State;
  /** The type that was asked for, whatever earlier rules made of it. */
  readonly intended: StateType;
  readonly now: Timestamp;
  readonly client: ClientInfo;
  readonly reads: Reads;
}

/**
 * `wait` and `abort` write no state; `reject` writes `state` in place of the proposed one, or keeps the current one when
 * that is undefined; `amend` goes on with the same state under another name or with other details.
 */
export type Verdict<Policy> =
  | { readonly kind: 'proceed' }
  | { readonly kind: 'amend'; readonly proposed: State; readonly changes?: RunChanges<Policy> }
  | {
      readonly kind: 'reject';
      readonly state: Proposal | undefined;
      readonly reason: string;
      readonly changes?: RunChanges<Policy>;
    }
  | { readonly kind: 'wait'; readonly delaySeconds: number; readonly reason: string }
  | { readonly kind: 'abort'; readonly reason: string };

export const proceed = { kind: 'proceed' } as const;

/** `null` stands for a run without a state. */
export type FromType = StateType | null;

export interface Rule<Run, Policy> {
  /** The reference's name of the rule, so that its documentation and ours can be compared. */
  readonly name: string;
  readonly from: readonly FromType[];
  readonly to: readonly StateType[];
  /** True of a rule that takes part also when an earlier one changed the type: it follows what is written. */
  readonly everyTransition?: true;
  judge(transition: Transition<Run>): Verdict<Policy> | Promise<Verdict<Policy>>;
  /** Changes that hold only when a state is written and no later rule changed its type. */
  settle?(transition: Transition<Run>): RunChanges<Policy>;
}

export type FlowRule = Rule<FlowRunView, FlowRunPolicy>;
export type TaskRule = Rule<TaskRunView, TaskRunPolicy>;

/** Every type a run can be in, and none. */
export const anyFrom: readonly FromType[] = [null, ...stateTypes];
export const anyTo: readonly StateType[] = stateTypes;

/** All types but the given ones. */
export function allBut<Type extends FromType>(types: readonly Type[], ...excluded: readonly Type[]): readonly Type[] {
  return types.filter((type) => !excluded.includes(type));
}
