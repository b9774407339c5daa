/**
 * Rules as data. A rule judges a transition; `orchestrate.ts` runs the rules of a policy in order. Only
 * `flow-run-transition.ts` and `task-run-transition.ts` touch the database.
 */
import type { ClientInfo } from '../../../../context/context.ts';
import type { Timestamp } from '../../../../values/time.ts';
import { type StateType, stateTypes } from '../../../filters/field-schema.ts';
import type { FlowRunPolicy } from '../../rows/flow-run-policy.ts';
import type { Proposal, State } from '../../rows/state.ts';
import type { TaskRunPolicy } from '../../rows/task-run-policy.ts';

/**
 * `unlimited`: the limit is deleted or inactive, so the run needs no slot. `never`: the limit is 0. Else the lease id.
 */
type TakenSlot = 'unlimited' | 'full' | 'never' | { readonly lease: string };

/** The slot of the concurrency limit of a flow run's deployment. */
export interface FlowRunSlots {
  /** True when the run belongs to a deployment that was deleted. */
  readonly isDeploymentGone: boolean;
  readonly isLimited: boolean;
  /** True when a run that finds no slot is cancelled instead of waiting for one. */
  readonly cancelsNew: boolean;
  /** True when the limit is active and all its slots are taken. */
  areAllTaken(): Promise<boolean>;
  /** Takes a slot for the run. A run that already holds one keeps it. */
  take(): Promise<TakenSlot>;
  /** Extends the lease of a client that does not renew leases: the run keeps the slot until it releases it. */
  keepUntilGivenBack(): Promise<void>;
  /** Releases every slot that the run holds. */
  release(): Promise<void>;
}

/** `never`: the limit on that tag is 0. `full`: the tags whose limit applies, and the seconds until a retry. */
type TakenTagSlots =
  | { readonly kind: 'taken' }
  | { readonly kind: 'never'; readonly tag: string }
  | { readonly kind: 'full'; readonly tags: readonly string[]; readonly delaySeconds: number };

/** The slots of the limits on a task run's tags. */
export interface TaskRunSlots {
  /** Takes a slot of every limit on the run's tags, or none. The run keeps slots that it already holds. */
  take(): Promise<TakenTagSlots>;
  /** Releases the run's slots on its tags, taken by the client or by the server. */
  release(): Promise<void>;
}

/** The columns of a flow run that rules read. */
interface FlowRunView {
  readonly id: string;
  readonly deployment_id: string | null;
  readonly parent_task_run_id: string | null;
  readonly run_count: number;
  readonly infrastructure_pid: string | null;
  readonly empirical_policy: FlowRunPolicy;
  /** Slots of its deployment's limit. Slots taken for a state that is not written are released. */
  readonly slots: FlowRunSlots;
}

/** The columns of a task run that rules read. */
export interface TaskRunView {
  readonly id: string;
  readonly flow_run_id: string | null;
  readonly run_count: number;
  readonly flow_run_run_count: number;
  readonly empirical_policy: TaskRunPolicy;
  /** Slots of the limits on its tags. Slots taken for a state that is not written are released. */
  readonly slots: TaskRunSlots;
}

/** Columns of the run that a rule changes in addition to its state. */
export interface RunChanges<Policy> {
  readonly empirical_policy?: Partial<Policy>;
  readonly run_count?: number;
  readonly flow_run_run_count?: number;
  /** Keys of inputs that belong to an earlier attempt. */
  readonly endedInputs?: readonly string[];
}

/** The part of a task run's flow run that rules read. */
export interface EnclosingFlowRun {
  readonly run_count: number;
  readonly state: State | undefined;
}

/** Rows that rules may read, each at most once and in the transaction of the transition. */
export interface Reads {
  /** The latest unexpired state that is stored under a cache key. */
  cachedState(cacheKey: string): Promise<State | undefined>;
  /** The flow run of a task run; undefined for a task run without one. */
  enclosingFlowRun(): Promise<EnclosingFlowRun | undefined>;
}

export interface Transition<Run> {
  readonly run: Run;
  /** The current state of the run; undefined for a run without one. */
  readonly initial: State | undefined;
  /** The state to write, after the rules so far. */
  readonly proposed: State;
  /** The type that the client proposed, regardless of earlier rules. */
  readonly intended: StateType;
  readonly now: Timestamp;
  readonly client: ClientInfo;
  readonly reads: Reads;
}

/**
 * `wait` and `abort` write no state. `reject` writes `state` instead of the proposed state, or keeps the current state
 * when `state` is undefined. `amend` continues with the same state under another name or with other details.
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

/** `null` means a run without a state. */
export type FromType = StateType | null;

export interface Rule<Run, Policy> {
  /** The name of the rule in the Prefect server, so that the two can be compared. */
  readonly name: string;
  readonly from: readonly FromType[];
  readonly to: readonly StateType[];
  /** True when the rule also runs after an earlier rule changed the type: it judges the state that is written. */
  readonly everyTransition?: true;
  judge(transition: Transition<Run>): Verdict<Policy> | Promise<Verdict<Policy>>;
  /** Changes that apply only when a state is written and no later rule changed its type. */
  settle?(transition: Transition<Run>): RunChanges<Policy>;
}

export type FlowRule = Rule<FlowRunView, FlowRunPolicy>;
export type TaskRule = Rule<TaskRunView, TaskRunPolicy>;

/** All types of a run's current state, including none. */
export const anyFrom: readonly FromType[] = [null, ...stateTypes];
export const anyTo: readonly StateType[] = stateTypes;

/** All types but the given ones. */
export function allBut<Type extends FromType>(types: readonly Type[], ...excluded: readonly Type[]): readonly Type[] {
  return types.filter((type) => !excluded.includes(type));
}
