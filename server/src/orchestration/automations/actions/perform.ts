/**
 * Carries out the actions of firings. An action that changes our own database takes effect, is recorded and leaves the
 * queue in one transaction: exactly once. An action that calls another server is first marked as started, then sent
 * outside of every transaction: at most once. When the process dies in between, the action is recorded as failed and
 * not sent again, because the target may have received it.
 */
import { type Context, createContext, within } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { ApiError, Unavailable } from '../../../errors.ts';
import { asOneRequest } from '../../../fairness/foreign-work/request-work.ts';
import { addSeconds } from '../../../values/time.ts';
import { intendedTargets } from './chosen.ts';
import { effects } from './effects.ts';
import { type Invocation, readInvocation } from './invocation.ts';
import { type Outcome, recordOutcome, refusal } from './outcome.ts';
import { LOST_AFTER_SECONDS, type Outgoing } from './outgoing.ts';
import { type Delivery, prepareOutgoing } from './prepare-outgoing.ts';
import { type ActionRow, actions, beginning, claimLost, claimNext, type Place } from './queue.ts';

/** Actions in one pass; other workspaces get their turn between passes. */
const MAX_ACTIONS = 100;

const LOST =
  'The server stopped while it ran this action. The action may or may not have been sent, and is not sent again.';
const BROKEN = 'The action failed because of an error in the server. The log of the server has the details.';
const DELETED = 'The automation was deleted before the action ran.';

/** Resolves to true if more may be due at once. */
export async function performActions(context: Context, outgoing: Outgoing): Promise<boolean> {
  await reportLost(context);
  let place: Place = beginning;
  for (let count = 0; count < MAX_ACTIONS; count++) {
    const after = place;
    const row = await asOneRequest(() => performNext(context, outgoing, after));
    if (!row) return false;
    place = row;
  }
  return true;
}

/** Undefined when no action comes after `place`. */
async function performNext(context: Context, outgoing: Outgoing, place: Place): Promise<ActionRow | undefined> {
  const busy = outgoing.busy();
  if (busy.outgoing || busy.blocks.length > 0) outgoing.wakeLater(context.workspace);
  let claimed: ActionRow | undefined;
  try {
    await context.transaction(async (tx) => {
      claimed = await claimNext(tx, place, busy);
      if (!claimed) return;
      const invocation = await readInvocation(tx, claimed);
      const outcome = await begin(within(context, tx), tx, invocation);
      if (!('send' in outcome)) return end(context, tx, invocation, outcome);
      const { id } = claimed;
      const start = { state: 'started', holder: outgoing.holder, started: context.now };
      await actions.changeAll(tx, { id }, start);
      const block = String(invocation.action['block_document_id']);
      tx.afterCommit(() => outgoing.start(block, (signal) => deliver(context, outgoing, invocation, outcome, signal)));
    });
  } catch (error) {
    if (!claimed || error instanceof Unavailable) throw error;
    await fail(context, claimed, error);
  }
  return claimed;
}

async function begin(inside: Context, tx: Tx, invocation: Invocation): Promise<Delivery | Outcome> {
  if (!invocation.automation) return { reason: DELETED, related: [] };
  const effect = effects.get(invocation.type);
  return effect ? effect(inside, tx, invocation) : prepareOutgoing(inside, tx, invocation);
}

async function end(context: Context, tx: Tx, invocation: Invocation, outcome: Outcome): Promise<void> {
  if ((await actions.removeAll(tx, { id: invocation.id })) > 0) await recordOutcome(context, tx, invocation, outcome);
}

/** The transaction of the effect was rolled back; a second one records the failure. */
async function fail(context: Context, row: ActionRow, error: unknown): Promise<void> {
  const isRefusal = error instanceof ApiError;
  if (!isRefusal) context.server.logger.error({ err: error, action: row.id }, 'an action of an automation failed');
  try {
    await context.transaction(async (tx) => {
      const invocation = await readInvocation(tx, row);
      const related = intendedTargets(invocation);
      await end(context, tx, invocation, isRefusal ? refusal(invocation, error, related) : { reason: BROKEN, related });
    });
  } catch (failure) {
    if (failure instanceof Unavailable) throw failure;
    // The action stays in the queue, and those after it get their turn.
    context.server.logger.error({ err: failure, action: row.id }, 'could not record the failure of an action');
  }
}

/** Sends the request, and records the outcome unless it was already recorded. Never throws. */
async function deliver(
  context: Context,
  { holder }: Outgoing,
  invocation: Invocation,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { server, workspace } = context;
  let outcome: Outcome;
  try {
    outcome = await delivery.send(context, signal);
  } catch (error) {
    server.logger.error({ err: error, action: invocation.id }, 'an action of an automation failed');
    outcome = { reason: BROKEN, related: [] };
  }
  try {
    const later = createContext(server, workspace);
    await later.transaction(async (tx) => {
      // No row is left if another process holds it by now.
      const removed = await actions.removeAll(tx, { id: invocation.id, holder });
      if (removed > 0) await recordOutcome(later, tx, invocation, outcome);
    });
  } catch (error) {
    server.logger.error({ err: error, action: invocation.id }, 'could not record the outcome of an action');
  }
}

async function reportLost(context: Context): Promise<void> {
  await context.transaction(async (tx) => {
    for (const row of await tx.all(claimLost, { before: addSeconds(context.now, -LOST_AFTER_SECONDS) })) {
      const invocation = await readInvocation(tx, row);
      await end(context, tx, invocation, { reason: LOST, related: intendedTargets(invocation) });
    }
  });
}
