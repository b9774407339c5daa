/** Resumes a paused run with the input that it waits for. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { found, IntegrityConflict } from '../../../errors.ts';
import { isJsonObject, JsonSyntaxError, type JsonText, parseJson, parseObject } from '../../../values/json.ts';
import { HydrationError, hydrate } from '../../parameters/hydration.ts';
import { validateParameters } from '../../parameters/parameter-schema.ts';
import { findFlowRun, MISSING } from '../rows/flow-runs.ts';
import type { Proposal } from '../rows/state.ts';
import { stateOf } from '../rows/stored-state.ts';
import { transitionFlowRun } from '../state-machine.ts';
import { type Orchestrated, wire } from '../states/orchestration-result.ts';
import { flowRunInputs, insertInput } from './inputs.ts';

/**
 * Proposes RUNNING for a paused run, or SCHEDULED when its process has ended. Checks the input against the schema that
 * the run stored for this pause, and stores it under the key where the run reads the response. Throws NotFound, and
 * IntegrityConflict when a response is stored already.
 * Source: `POST /flow_runs/{id}/resume` of the Prefect server 3.9.1.
 */
export function resumeFlowRun(context: Context, id: string, runInput: JsonText | null): Promise<Orchestrated> {
  return context.transaction(async (tx) => {
    // The lock orders two clients that resume a run at once: the second finds it resumed.
    await tx.lock('flow_run', id);
    const run = found(await findFlowRun(tx, id), MISSING);
    const state = stateOf(run);
    const refused = (status: 'ABORT' | 'REJECT', reason: string): Orchestrated => ({
      wroteState: false,
      body: {
        state: status === 'ABORT' || !state ? null : wire(state),
        status,
        // The Prefect server answers both statuses with the details of an abort.
        details: { type: 'abort_details', reason },
      },
    });
    if (state?.type !== 'PAUSED') return refused('ABORT', 'Cannot resume a flow run that is not paused.');
    const keyset = keysetOf(state.state_details.run_input_keyset);
    let input = runInput ?? ('{}' as JsonText);
    if (keyset) {
      try {
        input = await hydrate(tx, input);
      } catch (error) {
        if (!(error instanceof HydrationError)) throw error;
        return refused('REJECT', `Error hydrating run input: ${error.message}`);
      }
      const fault = await inputFault(tx, id, keyset.schema, input);
      if (fault) return refused('REJECT', fault);
    }
    const proposal: Proposal = state.state_details.pause_reschedule
      ? { type: 'SCHEDULED', name: 'Resuming', state_details: { scheduled_time: context.now } }
      : { type: 'RUNNING' };
    const result = found(await transitionFlowRun(context, tx, id, proposal, false), MISSING);
    if (keyset && runInput !== null && result.body.status === 'ACCEPT') {
      // A stored response means that the same pause is resumed a second time.
      if (!(await insertInput(context, tx, id, { key: keyset.response, value: input }))) throw new IntegrityConflict();
    }
    return result;
  });
}

interface Keyset {
  readonly schema: string;
  readonly response: string;
}

function keysetOf(text: JsonText | null | undefined): Keyset | undefined {
  if (!text) return undefined;
  const keyset = parseObject(text) as { schema?: string; response?: string };
  // Without one of them, the pause waits for an input that cannot be checked or stored.
  return Object.keys(keyset).length === 0
    ? undefined
    : { schema: keyset.schema ?? '', response: keyset.response ?? '' };
}

/** The reason why the input does not fit the schema of the pause; undefined when it fits. */
async function inputFault(tx: Tx, id: string, key: string, input: JsonText): Promise<string | undefined> {
  const stored = await flowRunInputs.first(tx, { flow_run_id: id, key });
  if (!stored) return 'Run input schema not found.';
  let schema: unknown;
  try {
    schema = parseJson(stored.value);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return 'Run input schema is not valid JSON.';
  }
  if (!isJsonObject(schema)) return 'Run input schema is not valid JSON.';
  const refusal = validateParameters(stored.value as JsonText, input);
  if (!refusal) return undefined;
  return refusal.kind === 'schema' ? refusal.message : `Reason: ${refusal.message}`;
}
