/** Actions on the flow run that an event names. Source: docs.prefect.io/v3/concepts/automations. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { addSeconds } from '../../../values/time.ts';
import type { StateType } from '../../filters/field-schema.ts';
import { deleteFlowRun as remove, setFlowRunState } from '../../runs/flow-runs/operations.ts';
import { resumeFlowRun } from '../../runs/flow-runs/resume.ts';
import type { Proposal } from '../../runs/rows/state.ts';
import type { Orchestrated } from '../../runs/states/orchestration-result.ts';
import { inferredFlowRun } from './chosen.ts';
import type { Invocation } from './invocation.ts';
import { type Outcome, target } from './outcome.ts';

/** Seconds after which a suspended run fails unless a user resumes it. */
const SUSPENDED_SECONDS = 3600;

type RunEffect = (context: Context, tx: Tx, invocation: Invocation) => Promise<Outcome>;

function onFlowRun(
  act: (context: Context, id: string, invocation: Invocation) => Promise<Omit<Outcome, 'related'>>,
): RunEffect {
  return async (context, _tx, invocation) => {
    const id = inferredFlowRun(invocation);
    if (id === undefined) return { reason: 'No flow run could be inferred', related: [] };
    return { ...(await act(context, id, invocation)), related: [target('flow-run', id)] };
  };
}

function proposing(proposal: (context: Context, invocation: Invocation) => Proposal): RunEffect {
  return onFlowRun(async (context, id, invocation) => {
    const force = invocation.action['force'] === true;
    const result = await setFlowRunState(context, id, proposal(context, invocation), force);
    const details = { status_code: result.wroteState ? 201 : 200 };
    if (result.body.status === 'ACCEPT') return { details };
    return { reason: `Failed to set state: ${reasonOf(result)}`, details };
  });
}

function reasonOf({ body }: Orchestrated): string {
  return (body.details as { reason?: string | null }).reason ?? body.status;
}

export const cancelFlowRun = proposing((_context, { automationId }) => ({
  type: 'CANCELLING',
  message: `Cancelled by Automation ${automationId}`,
}));

export const changeFlowRunState = proposing((_context, { action, automationId }) => ({
  type: action['state'] as StateType,
  name: action['name'] as string | null | undefined,
  message: (action['message'] as string | null | undefined) || `State changed by Automation ${automationId}`,
}));

export const suspendFlowRun = proposing((context, { automationId }) => ({
  type: 'PAUSED',
  name: 'Suspended',
  message: `Suspended by Automation ${automationId}`,
  state_details: { pause_timeout: addSeconds(context.now, SUSPENDED_SECONDS), pause_reschedule: true },
}));

export const resumePausedFlowRun = onFlowRun(async (context, id) => {
  const result = await resumeFlowRun(context, id, null);
  if (result.body.status === 'ACCEPT') return {};
  return { reason: `Failed to resume flow run: ${reasonOf(result)}` };
});

export const deleteFlowRun = onFlowRun(async (context, id) => {
  await remove(context, id);
  return { details: { status_code: 204 } };
});
