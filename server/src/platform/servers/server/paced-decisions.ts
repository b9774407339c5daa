/** Decides about many capabilities for one request of the platform API, without delaying other requests. */
import { WHOLE_WORK, WorkAllowance } from '../../../fairness/foreign-work/allowance.ts';
import { nextTurn } from '../../../fairness/turns.ts';
import type { CapabilityView, PolicyDecision } from '../../../mcp/gateway/decide/policy.ts';
import type { CapabilityKind } from '../../../mcp/protocol/methods.ts';

/** Work in one turn before others run: some milliseconds. */
const WORK_EACH_TURN = WHOLE_WORK / 4;
/** The cost of a decision without patterns. */
const WORK_OF_DECISION = 100;

/** Each decision has the allowance of a message, so it equals the decision of the gateway. */
export class PacedDecisions {
  #spent = 0;

  decide(view: CapabilityView, capability: CapabilityKind, name: string): PolicyDecision {
    const work = new WorkAllowance();
    const decision = view.decide(capability, name, work);
    this.#spent += WORK_OF_DECISION + WHOLE_WORK - work.left;
    return decision;
  }

  /** Lets others run when the decisions of this turn have taken long enough. */
  async pause(): Promise<void> {
    if (this.#spent < WORK_EACH_TURN) return;
    this.#spent = 0;
    await nextTurn();
  }
}
