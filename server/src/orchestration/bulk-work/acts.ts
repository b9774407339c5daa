/** The effect of each action on one run. A deletion takes several transactions: see `advance.ts`. */
import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { parseJson } from '../../values/json.ts';
import type { StateType } from '../filters/field-schema.ts';
import { isTerminal, type Proposal } from '../runs/rows/state.ts';
import { transitionFlowRun } from '../runs/state-machine.ts';
import type { BulkWorkRow, RunToChange } from './queries.ts';
import type { BulkAction, BulkState } from './schema.ts';

/** `skipped`: the action does not apply to the run. */
export type Outcome = 'done' | 'skipped' | { readonly reason: string };

type Act = (context: Context, tx: Tx, run: RunToChange, work: BulkWorkRow) => Promise<Outcome>;

export const acts: Readonly<Record<Exclude<BulkAction, 'delete'>, Act>> = {
  /** A run without a deployment stays: no worker would take it. */
  retry: async (context, tx, run) => {
    const hasFailed = run.state_type === 'FAILED' || run.state_type === 'CRASHED';
    if (!hasFailed || run.deployment_id === null) return 'skipped';
    return propose(context, tx, run.id, { type: 'SCHEDULED', name: 'AwaitingRetry', message: by(context, 'Retried') });
  },
  /** The rules set CANCELLED for a run that has not started. */
  cancel: async (context, tx, run) => {
    if (isTerminal(run.state_type as StateType | null) || run.state_type === 'CANCELLING') return 'skipped';
    return propose(context, tx, run.id, { type: 'CANCELLING', message: by(context, 'Cancelled') });
  },
  set_state: (context, tx, run, { state, force }) =>
    propose(context, tx, run.id, state === null ? notGiven() : (parseJson(state) as BulkState), force),
};

async function propose(context: Context, tx: Tx, id: string, proposal: Proposal, force = false): Promise<Outcome> {
  const result = await transitionFlowRun(context, tx, id, proposal, force);
  if (!result) return 'skipped';
  const { status, details, state } = result.body;
  const wasCancelledAtOnce = proposal.type === 'CANCELLING' && state?.type === 'CANCELLED';
  if (status === 'ACCEPT' || wasCancelledAtOnce) return 'done';
  const { reason } = details as { readonly reason?: string | null };
  return { reason: reason ?? `The orchestration rules did not accept the state ${proposal.type}.` };
}

function by({ actor }: Context, what: 'Retried' | 'Cancelled'): string {
  return actor ? `${what} by ${actor.name}` : `${what} by hand`;
}

function notGiven(): never {
  throw new Error('A work that sets a state has none.');
}
