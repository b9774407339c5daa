import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import type { JsonText } from '../../../values/json.ts';
import type { FlowRunSlots, TaskRunSlots } from './rules/rule.ts';
import type { StateArtifact } from './state-artifact.ts';

/** The context of a proposed state: the request, its transaction, and the effects on other resources. */
export interface Transition {
  readonly context: Context;
  readonly tx: Tx;
  readonly effects: TransitionEffects;
}

/** A flow run and its deployment's concurrency settings; null when the deployment is deleted or has none. */
interface FlowRunOfDeployment {
  readonly id: string;
  readonly deployment_id: string | null;
  readonly deployment_name: string | null;
  readonly concurrency_limit_id: string | null;
  readonly concurrency_options: JsonText | null;
}

/** Slots to settle once the outcome is known: slots taken for a state that was not written are released. */
type Settled<Slots, Written> = Slots & { settle(written: Written): Promise<void> };

/** The details of a flow run's state that contain the lease of its slot. */
type LeasedState = { readonly deployment_concurrency_lease_id?: string | null } | undefined;

/**
 * Effects of a transition beyond the tables of runs, each in the same transaction. The state machine knows no other
 * resource; `state-machine.ts` beside this folder connects it with them.
 */
export interface TransitionEffects {
  flowRunSlots(context: Context, tx: Tx, run: FlowRunOfDeployment): Settled<FlowRunSlots, LeasedState>;
  taskRunSlots(context: Context, tx: Tx, id: string, tags: readonly string[]): Settled<TaskRunSlots, boolean>;
  /** Stores the result of a run as an artifact. */
  storeResult(
    context: Context,
    tx: Tx,
    result: StateArtifact & { readonly flow_run_id: string | null; readonly task_run_id: string | null },
  ): Promise<void>;
  /** Puts a background task run into the queue of its key. Retries come before new runs. */
  enqueue(
    context: Context,
    tx: Tx,
    run: { readonly id: string; readonly task_key: string; readonly is_retry: boolean },
  ): Promise<void>;
}
